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
    local = local_time(moment, zone)
    if not local.utcoffset():
        return format_html('<span class="jobs-time">{} UTC</span>', wall(utc))
    offset = f"{local:%z}"
    return format_html(
        '<span class="jobs-time" title="{}">{} {}</span><br><span class="quiet jobs-time">{} UTC</span>',
        zone,
        wall(local),
        f"{offset[:3]}:{offset[3:5]}",
        wall(utc) if utc.date() != local.date() else wall(utc)[11:],
    )


def local_time(moment: datetime, zone: str) -> datetime:
    """The instant in a job's zone; in UTC where the zone, written past every check, is unknown."""
    try:
        return to_local(moment, zone)
    except InvalidScheduleError:
        return moment.astimezone(UTC)


def wall(moment: datetime) -> str:
    """Date and time without offset; fractions of a second only where there are any."""
    return moment.replace(tzinfo=None).isoformat(" ", "milliseconds" if moment.microsecond else "seconds")


def duration(span: timedelta | None) -> str:
    """In the two largest units: ``0.2 s``, ``3 min 4 s``, ``2 h 5 min``, ``3 d 1 h``."""
    if span is None:
        return NOTHING
    seconds = span.total_seconds()
    if abs(seconds) < 60:
        return f"{seconds:.1f} s" if abs(seconds) < 10 else f"{seconds:.0f} s"
    sign, whole = ("-" if seconds < 0 else ""), round(abs(seconds))
    for size, unit, part_size, part in ((86_400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= size:
            return f"{sign}{whole // size} {unit} {whole % size // part_size} {part}"
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
