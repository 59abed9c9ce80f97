"""Coming slots as people see them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from jobs.domain.schedules import ScheduleSpec, preview

from .helpers import at, cron_spec

NEW_YORK = "America/New_York"


def test_preview_marks_the_slot_that_a_clock_change_moved():
    slots = preview(cron_spec("30 2 * * *", NEW_YORK), at("2026-03-07T05:00"), 3)
    assert [slot.moved for slot in slots] == [False, True, False]
    assert slots[1].instant == at("2026-03-08T07:00")
    assert slots[1].local.isoformat() == "2026-03-08T03:00:00-04:00"
    assert slots[1].offset == timedelta(hours=-4)


@pytest.mark.parametrize("expression", ["0 2,3 * * *", "0 * * * *", "*/5 * * * *"])
def test_a_slot_at_its_own_wall_time_is_not_marked(expression):
    slots = preview(cron_spec(expression, NEW_YORK), at("2026-03-08T06:30"), 3)
    assert not any(slot.moved for slot in slots)


def test_preview_ends_with_the_schedule():
    spec = ScheduleSpec(kind="once", once_at=at("2026-01-01"), timezone="Asia/Tokyo")
    (slot,) = preview(spec, at("2025-01-01"), 5)
    assert slot.local.isoformat() == "2026-01-01T09:00:00+09:00"
    assert not slot.moved
