"""How the admin writes instants, durations, statuses and JSON. Everything is escaped."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from jobs.domain.schedules import to_local
from jobs.errors import InvalidScheduleError

NOTHING = "–"


def instant(moment: datetime | None, zone: str) -> SafeString | str:
    """Local time with its offset, and below it UTC; once where the zone is UTC."""
    if moment is None:
        return NOTHING
    utc = moment.astimezone(UTC)
    shown = local_time(moment, zone)
    if not shown.utcoffset():
        return format_html('<span class="jobs-time">{} UTC</span>', wall(utc))
    return format_html(
        '<span class="jobs-time" title="{}">{} {}</span><br><span class="quiet jobs-time">{} UTC</span>',
        *(zone, wall(shown), offset(shown), wall(utc) if utc.date() != shown.date() else wall(utc)[11:]),
    )


def when(moment: datetime | None, zone: str, now: datetime) -> SafeString | str:
    """How far off, and below it the local time with its offset; UTC is in its title."""
    if moment is None:
        return NOTHING
    return format_html('{}<br><span class="quiet">{}</span>', relative(moment, now), local(moment, zone))


def local(moment: datetime, zone: str) -> SafeString:
    """The local time with its offset; UTC is in its title."""
    shown = local_time(moment, zone)
    utc = wall(moment.astimezone(UTC))
    mark = offset(shown) if shown.utcoffset() else "UTC"
    return format_html('<span class="jobs-time" title="{} · {} UTC">{} {}</span>', zone, utc, wall(shown), mark)


def relative(moment: datetime, now: datetime) -> str:
    """``in 3 h 12 min``, ``25 s ago``, ``now``."""
    if abs(moment - now) < timedelta(seconds=1):
        return "now"
    return f"in {duration(moment - now)}" if moment > now else f"{duration(now - moment)} ago"


def local_time(moment: datetime, zone: str) -> datetime:
    """The instant in a job's zone; in UTC where the zone, written past every check, is unknown."""
    try:
        return to_local(moment, zone)
    except InvalidScheduleError:
        return moment.astimezone(UTC)


def offset(local: datetime) -> str:
    """The offset from UTC of a local time: ``+02:00``."""
    text = f"{local:%z}"
    return f"{text[:3]}:{text[3:5]}"


def wall(moment: datetime) -> str:
    """Date and time without offset; fractions of a second only where there are any."""
    return moment.replace(tzinfo=None).isoformat(" ", "milliseconds" if moment.microsecond else "seconds")


def duration(span: timedelta | None) -> str:
    """In the two largest units: ``0.2 s``, ``3 min 4 s``, ``2 h``, ``3 d 1 h``; from ten days on in days."""
    if span is None:
        return NOTHING
    seconds = span.total_seconds()
    if abs(seconds) < 60:
        return f"{seconds:.1f} s" if abs(seconds) < 10 else f"{seconds:.0f} s"
    sign, whole = ("-" if seconds < 0 else ""), round(abs(seconds))
    for size, unit, part_size, part in ((86_400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= size:
            rest = whole % size // part_size if whole < 864_000 else 0
            return f"{sign}{whole // size} {unit}" + (f" {rest} {part}" if rest else "")
    return NOTHING


def badge(word: str) -> SafeString:
    """A state or status as a coloured word."""
    return format_html('<span class="jobs-badge jobs-badge-{}">{}</span>', word, word)


def document(value: Any) -> SafeString | str:
    """A JSON value, indented."""
    if value is None:
        return NOTHING
    return block(json.dumps(value, indent=2, ensure_ascii=False))


def block(text: str) -> SafeString | str:
    """Text as it stands: logs, tracebacks."""
    return format_html('<pre class="jobs-block">{}</pre>', text) if text else NOTHING


def noted(badge: SafeString, *notes: str) -> SafeString:
    """A badge with remarks in small below it."""
    note = ", ".join(filter(None, notes))
    return lines(badge, format_html('<span class="jobs-note">{}</span>', note) if note else "")


def lines(*parts: SafeString | str) -> SafeString:
    """Parts below each other; empty ones are left out."""
    return mark_safe("<br>".join(format_html("{}", part) for part in parts if part))  # noqa: S308  # each part is escaped
