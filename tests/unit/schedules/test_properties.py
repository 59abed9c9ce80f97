"""What holds for every expression, zone and instant."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise

from cronsim import CronSim
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from jobs.domain.schedules import Schedule
from jobs.errors import InvalidScheduleError

from .helpers import cron, following
from .strategies import EXPRESSIONS, PLACES, PLAIN

SECOND = timedelta(seconds=1)
COMMON = settings(max_examples=400, deadline=None)


def valid(expression: str, zone: str) -> Schedule:
    try:
        return cron(expression, zone)
    except InvalidScheduleError as error:
        assume("never fires" not in str(error))
        raise


@COMMON
@given(EXPRESSIONS, PLACES)
def test_slots_rise_and_stand_on_their_own(expression, place):
    zone, after = place
    schedule = valid(expression, zone)
    slots = following(schedule, after, 20)
    assert len(slots) == 20
    assert after < slots[0]
    assert all(earlier < later for earlier, later in pairwise(slots))
    assert schedule.next(slots[4] - SECOND) == slots[4]


@COMMON
@given(EXPRESSIONS, PLACES)
def test_previous_undoes_next(expression, place):
    zone, after = place
    schedule = valid(expression, zone)
    slots = following(schedule, after, 10)
    assert [schedule.previous(slot) for slot in slots[1:]] == slots[:-1]
    before = schedule.previous(slots[0])
    assert before is not None
    assert before <= after
    assert schedule.next(before) == slots[0]


@COMMON
@given(EXPRESSIONS, PLACES, st.integers(1, 12))
def test_windows_agree_with_single_steps(expression, place, limit):
    zone, after = place
    schedule = valid(expression, zone)
    slots = following(schedule, after, 40)
    until = slots[-1]
    assert schedule.between(after, until) == slots
    assert schedule.between(after, until, limit) == slots[:limit]
    assert schedule.latest(after, until, limit) == slots[-limit:]
    assert schedule.count(after, until, 10**9) == len(slots)
    assert schedule.count(after, until, limit) == limit


@COMMON
@given(EXPRESSIONS, PLACES, st.timedeltas(timedelta(0), timedelta(days=4)))
def test_count_is_exact_between_any_two_instants(expression, place, span):
    zone, after = place
    schedule = valid(expression, zone)
    assert schedule.count(after, after + span, 10**9) == len(schedule.between(after, after + span))


@COMMON
@given(PLAIN, st.datetimes(datetime(2000, 1, 1), datetime(2040, 1, 1), timezones=st.just(UTC)))
def test_cronsim_agrees_where_there_are_no_clock_changes(expression, after):
    schedule = valid(expression, "UTC")
    assert list(islice(CronSim(expression, after), 10)) == following(schedule, after, 10)
