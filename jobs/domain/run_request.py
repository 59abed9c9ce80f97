"""When a run by hand may start. What it may be called with instead of the job's own: :mod:`jobs.domain.target`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from jobs.errors import InvalidFieldError

LONGEST_WAIT = timedelta(days=90)
MICROSECOND = timedelta(microseconds=1)


def start_instant(now: datetime, *, at: datetime | None, delay: timedelta | None) -> datetime:
    """When the run is due, in UTC; ``now`` is the database's. InvalidFieldError names ``at`` or ``delay``."""
    if at is not None and delay is not None:
        raise InvalidFieldError("at", "A run takes a time or a delay, not both. Leave one out.")
    if at is not None:
        return _later(now, at)
    if delay is not None and not timedelta() <= delay <= LONGEST_WAIT:
        seconds = int(LONGEST_WAIT.total_seconds())
        raise InvalidFieldError(
            "delay", f"A delay of {delay.total_seconds():,.0f} s is outside 0 to {seconds:,} s (90 days). {_USE_ONCE}"
        )
    return now + (delay or timedelta())


def slot_for(start: datetime, *, is_named: bool) -> datetime:
    """The run's identity: never a whole second, so that it takes no slot's place. ``is_named``: a time was given."""
    slot = start + MICROSECOND if is_named else start
    return slot if slot.microsecond else slot + MICROSECOND


_USE_ONCE = "For later times make a job of kind once."


def _later(now: datetime, at: datetime) -> datetime:
    if at.utcoffset() is None:
        raise InvalidFieldError("at", f"The time {at} has no offset from UTC. Add one, for example +00:00.")
    if at <= now:
        raise InvalidFieldError("at", f"The time {at} has passed. Choose a later time, or leave it out to run now.")
    if at > now + LONGEST_WAIT:
        raise InvalidFieldError("at", f"The time {at} is more than 90 days ahead. {_USE_ONCE}")
    return at.astimezone(UTC)
