"""No text takes long. The limit is far above what is promised: it guards against hanging, not slowness."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.errors import InvalidScheduleError

from .helpers import at, cron

GENEROUS = settings(max_examples=1500, deadline=1000)
FAR = [datetime(year, 3, 1, tzinfo=UTC) for year in (1, 1883, 2096, 2599, 9990)]
LOOKALIKES = st.text("0123456789*/-,#LWHladjnmotuesr ?@\t", max_size=60)


def build_and_step(text: str, zone: str = "America/New_York") -> None:
    try:
        schedule = cron(text, zone)
    except InvalidScheduleError:
        return
    for moment in FAR:
        schedule.next(moment)
        schedule.previous(moment)


@GENEROUS
@given(st.text(max_size=600) | LOOKALIKES)
def test_any_text_is_read_or_refused(text):
    build_and_step(text)


@GENEROUS
@given(st.lists(st.text("0123456789*/-,#LW", min_size=1, max_size=8), min_size=5, max_size=5).map(" ".join))
def test_any_five_fields_are_read_or_refused(text):
    build_and_step(text)


@pytest.mark.timeout(5)
@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Africa/Casablanca", "Pacific/Apia", "Antarctica/Troll"])
@pytest.mark.parametrize(
    "text",
    ["0 0 29 2 *", "0 0 */28 2 1#5", "59 23 29 2 */6", "*/5 2 8-14 3 */7", "0 0 */31 2 1#2", "* " * 5000, "*" * 10_000],
)
def test_rare_and_long_texts(text, zone):
    build_and_step(text, zone)


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_the_ends_of_the_calendar_give_none(zone):
    schedule = cron("* * * * *", zone)
    first, last = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
    assert schedule.next(last) is None
    assert schedule.previous(first) is None
    assert at("0001-01-02T00:00") <= schedule.next(first) <= at("0001-01-02T00:01")
    assert schedule.previous(last) == at("9999-12-31T00:00")
    assert schedule.next(at("9999-12-31T23:59:59-14:00")) is None
    assert schedule.previous(at("0001-01-01T00:00:00+14:00")) is None
