"""Refusals name the field, the value, what is allowed, and the way that works."""

from __future__ import annotations

import pytest

from jobs.errors import InvalidScheduleError

from .helpers import cron

MESSAGES = [
    ("61 * * * *", 'Cron "61 * * * *" is invalid: minute 61 is outside 0-59.'),
    ("0 0 9 * * *", "6 fields and needs five"),
    ("0 0 9 * * *", "For seconds use an interval"),
    ("* * * *", "4 fields"),
    ("0 22-2 * * *", "hour range 22-2 runs backwards; write two ranges: 22-23,0-2"),
    ("0 0 * 11-2 *", "month range 11-2 runs backwards; write two ranges: 11-12,1-2"),
    ("0 0 * * fri-mon", "day of week range FRI-MON runs backwards; write two ranges: 5-7,0-1"),
    ("0 0 * * 5-0", "Sunday at the end is 7: 5-7"),
    ("1,,2 * * * *", "minute has an empty list item"),
    ("*/0 * * * *", "minute step 0"),
    ("0 0 ? * 2", 'day of month "?" is not cron; use "*"'),
    ("H 0 * * *", "use spread"),
    ("H/15 0 * * *", "use spread"),
    ("@reboot", "@reboot"),
    ("@every 5m", "use an interval"),
    ("@fortnightly", "@weekly"),
    ("TZ=UTC 0 0 * * *", "set the time zone field"),
    ("CRON_TZ=UTC 0 0 * * *", "set the time zone field"),
    ("0 0 * * L", "the last Friday is 5L"),
    ("0 0 * * L5", "the last Friday is 5L"),
    ("0 17 * * MON_FRI", "day of week"),
    ("0 0 * * MONDAY", "SUN-SAT"),
    ("1-5, * * * *", "minute has an empty list item"),
    ("+5 * * * *", "minute"),
    ("0x5 * * * *", "minute"),
    ("١ * * * *", "minute"),
    ("0 0 * * ſun", "day of week"),
    ("0 0 * *\n*", "4 fields"),
    ("0 0 * * *\n", "day of week"),
    ("0 0 * * 1\x00", "day of week"),
    ("0 0 32W * *", "day of month 32 is outside 1-31"),
    ("0 0 L-3 * *", "day of month"),
    ("0 0 * * 9L", "day of week 9 is outside 0-7"),
    ("*" * 10_000, "10000 characters and at most 512"),
    ("9" * 500 + " * * * *", "outside 0-59"),
    ("0 0 30 2 *", "never fires"),
]


@pytest.mark.parametrize(("text", "words"), MESSAGES)
def test_message_says_what_to_do(text, words):
    with pytest.raises(InvalidScheduleError) as caught:
        cron(text)
    message = str(caught.value)
    assert words in message
    assert len(message) < 400
    assert message.isprintable()
