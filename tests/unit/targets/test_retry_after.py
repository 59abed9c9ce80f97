"""The Retry-After header."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from jobs.domain.retry_after import LONGEST, retry_after_seconds

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("3", 3.0),
        (" 120 ", 120.0),
        ("0", 0.0),
        ("-5", 0.0),
        ("1.5", 1.5),
        ("Sun, 01 Mar 2026 12:00:30 GMT", 30.0),
        ("Sunday, 01-Mar-26 12:00:30 GMT", 30.0),
        ("Sun Mar  1 12:00:30 2026", 30.0),
        ("Sun, 01 Mar 2026 13:00:30 +0100", 30.0),
        ("Sun, 01 Mar 2026 11:00:00 GMT", 0.0),
        ("99999999999", LONGEST),
        ("9" * 400, LONGEST),
        ("Fri, 31 Dec 9999 23:59:59 GMT", LONGEST),
    ],
)
def test_seconds_and_all_forms_of_a_date_are_read(text: str, seconds: float) -> None:
    assert retry_after_seconds(text, NOW) == seconds


@pytest.mark.parametrize(
    "text",
    ["", " ", "soon", "1e3", "NaN", "inf", "0x10", "٣", "Sun, 99 Mar 2026 12:00:30 GMT", "Sun, 01 Mar", "a" * 500],
)
def test_what_makes_no_sense_is_left_out(text: str) -> None:
    assert retry_after_seconds(text, NOW) is None
