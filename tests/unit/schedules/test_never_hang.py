"""No text takes long. The limit is far above what is promised: it guards against hanging, not slowness."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.domain.schedules import Schedule
from jobs.errors import InvalidScheduleError

from .helpers import at, cron

GENEROUS = settings(max_examples=1500, deadline=1000)
FAR = [datetime(year, 3, 1, tzinfo=UTC) for year in (1, 1883, 2096, 2599, 9990)]
LOOKALIKES = st.text("0123456789*/-,#LWHladjnmotuesr ?@\t", max_size=60)


def reads(text: str, zone: str = "America/New_York") -> bool:
    """Whether a schedule comes of the text, with slots on the right side of any moment; else it is told why not."""
    try:
        schedule = cron(text, zone)
    except InvalidScheduleError as error:
        told = str(error)
    else:
        _step(schedule)
        return True
    assert told.startswith('Cron "')
    assert len(told) < 1_000
    return False


def _step(schedule: Schedule) -> None:
    for moment in FAR:
        later, earlier = schedule.next(moment), schedule.previous(moment)
        assert later is None or later > moment
        assert earlier is None or earlier < moment


@GENEROUS
@given(st.text(max_size=600) | LOOKALIKES)
def test_any_text_is_read_or_refused(text):
    reads(text)


@GENEROUS
@given(st.lists(st.text("0123456789*/-,#LW", min_size=1, max_size=8), min_size=5, max_size=5).map(" ".join))
def test_any_five_fields_are_read_or_refused(text):
    reads(text)


@pytest.mark.timeout(5)
@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Africa/Casablanca", "Pacific/Apia", "Antarctica/Troll"])
@pytest.mark.parametrize("text", ["0 0 29 2 *", "0 0 */28 2 1#5", "59 23 29 2 */6", "*/5 2 9-15 3 */7"])
def test_rare_texts_are_read(text, zone):
    assert reads(text, zone)


@pytest.mark.timeout(5)
@pytest.mark.parametrize("text", ["0 0 */31 2 1#2", "*/5 2 8-14 3 */7", "* " * 5000, "*" * 10_000])
def test_texts_that_never_fire_and_long_ones_are_refused(text):
    """New York's clocks skip from 2 to 3 on the second Sunday of March."""
    assert not reads(text)


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
