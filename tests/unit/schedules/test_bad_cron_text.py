"""Refusals name the field, the value, what is allowed, and the way that works."""

from __future__ import annotations

import time

import pytest

from jobs.errors import InvalidScheduleError

from .helpers import cron

MESSAGES = [
    ("61 * * * *", 'Cron "61 * * * *" is invalid: minute 61 is outside 0-59.'),
    ("* * * *", "4 fields"),
    ("*/0 * * * *", "minute step 0"),
    ("TZ=UTC 0 0 * * *", "set the time zone field"),
    ("CRON_TZ=UTC 0 0 * * *", "set the time zone field"),
    ("0 0 * * L", "the last Friday is 5L"),
    ("0 0 * * L5", "the last Friday is 5L"),
    ("0 0 * * ſun", "day of week"),
    ("0 0 * * 1\x00", "day of week"),
    ("0 0 32W * *", "day of month 32 is outside 1-31"),
    ("0 0 L-3 * *", "day of month"),
    ("0 0 * * 9L", "day of week 9 is outside 0-7"),
    ("9" * 500 + " * * * *", "outside 0-59"),
]
BACKWARDS = [
    ("0 22-2 * * *", "hour range 22-2 runs backwards; write two ranges: 22-23,0-2"),
    ("0 0 * 11-2 *", "month range 11-2 runs backwards; write two ranges: 11-12,1-2"),
    ("0 0 * * fri-mon", "day of week range FRI-MON runs backwards; write two ranges: 5-7,0-1"),
    ("0 0 * * 5-0", "Sunday at the end is 7: 5-7"),
    ("50-10 * * * *", "minute range 50-10 runs backwards"),
    ("0 0 25-5 * *", "day of month range 25-5 runs backwards"),
]
GARBAGE = [
    ("0 17 * * MON_FRI", "day of week"),
    ("* * * * * * * *", "8 fields and needs five"),
    ("1,2,,3 * * * *", "minute has an empty list item"),
    ("1-5, * * * *", "minute has an empty list item"),
    ("-5 * * * *", "minute"),
    ("1.5 * * * *", "minute"),
    ("+5 * * * *", "minute"),
    ("0x5 * * * *", "minute"),
    ("١ * * * *", "minute"),
    ("0 0 * *\n*", "4 fields"),
    ("0 0 * * *\n", "day of week"),
    ("*" * 10_000, "10000 characters and at most 512"),
    ("* " * 5_000, "10000 characters and at most 512"),
]
NEVER = ["0 0 31 2 *", "0 12 31 4 *", "0 0 30 2 *", "0 0 31 2,4,6,9,11 *"]
OUTSIDE = [
    ("* * 0 * *", "day of month 0 is outside 1-31"),
    ("* * * 0 *", "month 0 is outside 1-12"),
    ("0 24 * * *", "hour 24 is outside 0-23"),
    ("60 * * * *", "minute 60 is outside 0-59"),
    ("0 0 0-5 * *", "day of month 0 is outside 1-31"),
]
QUARTZ = [
    ("0 0 ? * 2", 'day of month "?" is not cron; use "*"'),
    ("H 0 * * *", "use spread"),
    ("H/15 0 * * *", "use spread"),
    ("@reboot", "@reboot"),
    ("@every 5m", "use an interval"),
    ("@fortnightly", "@weekly"),
    ("0 0 * * MONDAY", "SUN-SAT"),
]


def refusal(text: str) -> str:
    with pytest.raises(InvalidScheduleError) as caught:
        cron(text)
    assert caught.value.field == "cron"
    message = str(caught.value)
    assert len(message) < 400
    assert message.isprintable()
    return message


@pytest.mark.parametrize(("text", "words"), MESSAGES)
def test_message_says_what_to_do(text, words):
    assert words in refusal(text)


@pytest.mark.parametrize(("text", "words"), BACKWARDS)
def test_b028_a_range_that_runs_backwards_is_refused_in_every_field(text, words):
    assert words in refusal(text)


@pytest.mark.parametrize(("text", "words"), GARBAGE)
def test_b029_garbage_is_refused_at_once_with_the_name_of_the_field(text, words):
    start = time.thread_time()
    assert words in refusal(text)
    assert time.thread_time() - start < 0.1


@pytest.mark.parametrize("text", NEVER)
def test_b030_a_date_that_never_comes_is_refused_at_once(text):
    start = time.thread_time()
    assert "never fires" in refusal(text)
    assert time.thread_time() - start < 0.1


@pytest.mark.parametrize("text", ["0 30 9 * * *", "0 0 9 * * *", "30 9 * * * 0"])
def test_b036_six_fields_are_refused_whatever_their_order(text):
    message = refusal(text)
    assert "6 fields and needs five" in message
    assert "For seconds use an interval" in message


@pytest.mark.parametrize(("text", "words"), OUTSIDE)
def test_b037_a_value_outside_its_field_is_refused(text, words):
    assert words in refusal(text)


@pytest.mark.parametrize(("text", "words"), QUARTZ)
def test_b042_what_other_schedulers_write_is_refused_with_the_way_that_works(text, words):
    assert words in refusal(text)
