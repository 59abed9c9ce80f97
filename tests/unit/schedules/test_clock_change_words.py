"""Which rule holds when the clocks change next, in words."""

from __future__ import annotations

from datetime import date, time

import pytest

from jobs.domain.schedules import ScheduleSpec, clock_change
from jobs.errors import InvalidScheduleError

from .helpers import at, cron_spec

NEW_YORK = "America/New_York"
FORWARD = "The clocks go forward on Sun 2026-03-08 from 02:00 to 03:00. "
BACK = "The clocks go back on Sun 2026-11-01 from 02:00 to 01:00. "
SPRING, AUTUMN = at("2026-01-10"), at("2026-06-10")


@pytest.mark.parametrize(
    ("cron", "spring", "autumn"),
    [
        ("30 2 * * *", "A skipped time fires at 03:00, once.", "A repeated time fires the first time only."),
        ("15 1 * * 0", "A skipped time fires at 03:00, once.", "A repeated time fires the first time only."),
        ("*/20 1,2 * * *", "No skipped time is made up.", "A repeated time fires both times."),
        ("0 */2 * * *", "No skipped time is made up.", "A repeated time fires both times."),
    ],
)
def test_b022_the_rule_for_the_next_change_is_said(cron: str, spring: str, autumn: str) -> None:
    spec = cron_spec(cron, NEW_YORK)
    assert clock_change(spec, SPRING) == FORWARD + spring
    assert clock_change(spec, AUTUMN) == BACK + autumn
    assert clock_change(spec, at("2026-11-01T06:00")).startswith("The clocks go forward on Sun 2027-03-14")


def test_a_calendar_interval_follows_the_rule_for_fixed_times() -> None:
    day = {"calendar_every": 1, "calendar_unit": "day", "anchor_date": date(2026, 1, 1), "wall_time": time(2, 30)}
    spec = ScheduleSpec("calendar", timezone=NEW_YORK, **day)
    assert clock_change(spec, SPRING) == f"{FORWARD}A skipped time fires at 03:00, once."


@pytest.mark.parametrize(
    "spec",
    [
        cron_spec("0 0 * * *"),
        cron_spec("0 0 * * *", "Asia/Tokyo"),
        ScheduleSpec("interval", interval_seconds=60, timezone=NEW_YORK),
        ScheduleSpec("once", once_at=SPRING, timezone=NEW_YORK),
        ScheduleSpec("manual", timezone=NEW_YORK),
    ],
)
def test_nothing_is_said_where_no_change_matters(spec: ScheduleSpec) -> None:
    assert clock_change(spec, SPRING) == ""


def test_half_hours_far_years_and_calendar_corrections_are_said_as_they_are() -> None:
    lord_howe = clock_change(cron_spec("0 2 * * *", "Australia/Lord_Howe"), AUTUMN)
    assert lord_howe.startswith("The clocks go forward on Sun 2026-10-04 from 02:00 to 02:30.")
    far = clock_change(cron_spec("0 2 * * *", NEW_YORK), at("2826-01-10"))
    assert far == FORWARD.replace("2026", "2826") + "A skipped time fires at 03:00, once."
    apia = clock_change(cron_spec("0 2 * * *", "Pacific/Apia"), at("2011-12-01"))
    assert (
        apia
        == "The clocks go forward on Fri 2011-12-30 from 00:00 to Sat 2011-12-31 00:00. No skipped time is made up."
    )


def test_an_invalid_schedule_is_refused() -> None:
    with pytest.raises(InvalidScheduleError):
        clock_change(cron_spec("61 * * * *", NEW_YORK), SPRING)
