"""Schedules in words, and warnings about valid ones."""

from __future__ import annotations

from datetime import date, time

import pytest

from jobs.domain.schedules import ScheduleSpec, describe, warnings

from .helpers import at, cron_spec


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("* * * * *", "Every minute, UTC"),
        ("*/5 * * * *", "Every 5 minutes, UTC"),
        ("*/7 * * * *", "At minutes */7 of every hour, UTC"),
        ("0 * * * *", "Every hour, UTC"),
        ("0 9 * * 1-5", "At 09:00 on Monday to Friday, UTC"),
        ("0 0 13 * 5", "At 00:00 on day 13 of the month or on Friday, UTC"),
        ("0 0 1-7 * */7", "At 00:00 on days 1-7 of the month if also on Sunday, UTC"),
        ("0 18 LW 3,6 *", "At 18:00 on the last weekday (Monday to Friday) of the month in March and June, UTC"),
        ("0 0 * * 5L", "At 00:00 on the last Friday of the month, UTC"),
        ("* 9-17 * * 2#3", "Every minute of hours 9-17 on the third Tuesday of the month, UTC"),
        ("@yearly", "At 00:00 on day 1 of the month in January, UTC"),
    ],
)
def test_cron_in_words(expression, words):
    assert describe(cron_spec(expression)) == words


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (ScheduleSpec(kind="interval", interval_seconds=7200), "Every 2 hours"),
        (
            ScheduleSpec(kind="interval", interval_seconds=90, anchor_at=at("2026-01-01T02:00+02:00")),
            "Every 90 seconds, counted from 2026-01-01 00:00:00 UTC",
        ),
        (
            ScheduleSpec(
                kind="calendar",
                calendar_every=2,
                calendar_unit="week",
                anchor_date=date(2026, 1, 5),
                wall_time=time(9),
                timezone="Europe/Berlin",
            ),
            "Every 2 weeks at 09:00:00 from 2026-01-05, Europe/Berlin",
        ),
        (ScheduleSpec(kind="once", once_at=at("2026-01-01")), "Once at 2026-01-01 00:00:00 UTC"),
        (ScheduleSpec(kind="manual"), "Only when asked for"),
    ],
)
def test_other_kinds_in_words(spec, words):
    assert describe(spec) == words


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("0 8 */80 * *", "it means 1 alone"),
        ("*/61 * * * *", "it means 0 alone"),
        ("59/15 * * * *", "it means 59 alone"),
        ("*/45 * * * *", "it means 0, 45"),
        ("0 */5 * * *", "it means 0, 5, 10, 15, 20"),
    ],
)
def test_b034_a_step_that_misleads_is_warned_of(expression, words):
    (warning,) = warnings(cron_spec(expression))
    assert words in warning


@pytest.mark.parametrize("expression", ["*/15 */6 * * *", "0 0 */2 * 1-5", "0 0 L * 5L", "4-4 * * * *"])
def test_plain_texts_have_no_warning(expression):
    assert warnings(cron_spec(expression)) == []
