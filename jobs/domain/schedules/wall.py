"""Wall times of people's input, made into instants."""

from __future__ import annotations

from datetime import datetime

from jobs.errors import InvalidScheduleError

from .instants import DAY, FIRST_INSTANT, LAST_INSTANT, exact_seconds, to_datetime
from .zones import timeline_of


def parse_wall(value: str | datetime, zone: str, *, field: str = "once_at") -> datetime:
    """The UTC instant of an ISO text or datetime.

    With an offset it says its instant itself. Without one it is a wall time of ``zone``: a skipped one
    means the first instant after the gap, a repeated one its first pass.
    """
    moment = _parse(value, field) if isinstance(value, str) else value
    if moment.utcoffset() is not None:
        instant: int | None = exact_seconds(moment, field)
    else:
        instant = timeline_of(zone).instant_of(_wall_seconds(moment, field))
    if instant is None:
        raise InvalidScheduleError(field, f"{moment.isoformat()} does not exist in {zone}: its calendar skips it.")
    if not FIRST_INSTANT <= instant <= LAST_INSTANT:
        raise InvalidScheduleError(field, f"{moment.isoformat()} is outside the years that can be scheduled.")
    return to_datetime(instant)


def _parse(text: str, field: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        moment = None
    if moment is None or ":" not in text:
        raise InvalidScheduleError(
            field, f'"{text[:40]}" is not a date and time; write 2026-10-25T02:30 or 2026-10-25T02:30:00+01:00.'
        )
    return moment


def _wall_seconds(moment: datetime, field: str) -> int:
    if moment.microsecond:
        raise InvalidScheduleError(field, f"{moment.isoformat()} has fractions of a second; give whole seconds.")
    return (moment.toordinal() - 1) * DAY + moment.hour * 3600 + moment.minute * 60 + moment.second
