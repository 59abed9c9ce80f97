"""Read a ``Retry-After`` header (RFC 9110, section 10.2.3): seconds, or one of the three forms of an HTTP date."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_SECONDS = re.compile(r"-?[0-9]+(\.[0-9]+)?", re.ASCII)
_LONGEST_TEXT = 64
LONGEST = 10.0 * 366 * 86_400


def retry_after_seconds(text: str, now: datetime) -> float | None:
    """Seconds from ``now``, from 0 to ten years; None where the header is missing or makes no sense."""
    text = text.strip()
    if not text:
        return None
    if len(text) > _LONGEST_TEXT:
        return LONGEST if text.isascii() and text.isdigit() else None
    if _SECONDS.fullmatch(text):
        return _within_bounds(float(text))
    moment = _http_date(text)
    return None if moment is None else _within_bounds((moment - now).total_seconds())


def _within_bounds(seconds: float) -> float:
    return min(max(0.0, seconds), LONGEST)


def _http_date(text: str) -> datetime | None:
    """A date without a zone is in UTC, as the obsolete forms are."""
    try:
        moment = parsedate_to_datetime(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
