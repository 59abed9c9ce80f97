"""Which due slots run: SCHEDULES, "Policies at emission"; with I1, every slot is in a run or in one gap."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from jobs.domain.catch_up import MOST_SLOTS, CatchUpRules, DueSlots, due_slots
from jobs.domain.policies import CatchUp
from jobs.domain.schedules import ScheduleSpec, build
from jobs.domain.states import GapReason

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
SECOND, MINUTE, HOUR, DAY = (timedelta(seconds=n) for n in (1, 60, 3600, 86_400))
MINUTELY = build(ScheduleSpec("cron", cron="* * * * *"))
SECONDLY = build(ScheduleSpec("interval", interval_seconds=1, anchor_at=NOON - 400 * DAY))


def rules(policy: CatchUp = CatchUp.LATEST, **fields: object) -> CatchUpRules:
    given: dict[str, object] = {
        "limit": 100,
        "deadline": None,
        "grace": 5 * SECOND,
        "floor": NOON - 30 * DAY,
        **fields,
    }
    return CatchUpRules(policy, **given)  # type: ignore[arg-type]  # the tests name the fields


def gaps(due: DueSlots) -> list[tuple[datetime, datetime, str]]:
    return [(gap.after, gap.until, gap.reason.value) for gap in due.gaps]


def test_a_slot_within_the_grace_runs_under_every_policy() -> None:
    for policy in CatchUp:
        due = due_slots(MINUTELY, after=NOON - MINUTE, now=NOON + 5 * SECOND, rules=rules(policy))
        assert (due.run, due.gaps, due.last_slot, due.next_slot) == ([NOON], [], NOON, NOON + MINUTE)


def test_nothing_due_moves_nothing() -> None:
    due = due_slots(MINUTELY, after=NOON, now=NOON + 59 * SECOND, rules=rules())
    assert (due.run, due.gaps, due.last_slot, due.next_slot) == ([], [], None, NOON + MINUTE)


def test_latest_runs_the_newest_missed_slot_and_the_older_ones_become_one_gap() -> None:
    due = due_slots(MINUTELY, after=NOON - HOUR, now=NOON + 30 * SECOND, rules=rules())
    assert due.run == [NOON]
    assert gaps(due) == [(NOON - HOUR, NOON - SECOND, GapReason.CATCH_UP)]


def test_latest_also_runs_the_slots_within_the_grace() -> None:
    due = due_slots(MINUTELY, after=NOON - HOUR, now=NOON + 2 * SECOND, rules=rules())
    assert due.run == [NOON - MINUTE, NOON]


def test_all_runs_the_oldest_up_to_its_limit_and_the_rest_become_a_gap() -> None:
    due = due_slots(MINUTELY, after=NOON - HOUR, now=NOON + 30 * SECOND, rules=rules(CatchUp.ALL, limit=3))
    assert due.run == [NOON - HOUR + n * MINUTE for n in (1, 2, 3)]
    assert gaps(due) == [(NOON - HOUR + 3 * MINUTE, NOON + 24 * SECOND, GapReason.CATCH_UP)]
    assert (due.last_slot, due.next_slot) == (NOON, NOON + MINUTE)


def test_all_with_its_largest_limit_takes_all_of_that_many_slots() -> None:
    after = NOON - MOST_SLOTS * MINUTE
    due = due_slots(MINUTELY, after=after, now=NOON + 30 * SECOND, rules=rules(CatchUp.ALL, limit=MOST_SLOTS))
    assert (len(due.run), due.gaps, due.last_slot) == (MOST_SLOTS, [], NOON)


def test_skip_runs_nothing_older_than_a_minute() -> None:
    due = due_slots(MINUTELY, after=NOON - HOUR, now=NOON + 61 * SECOND, rules=rules(CatchUp.SKIP))
    assert due.run == [NOON + MINUTE]
    due = due_slots(MINUTELY, after=NOON - HOUR, now=NOON + 60 * SECOND - SECOND, rules=rules(CatchUp.SKIP))
    assert due.run == [NOON]
    assert gaps(due) == [(NOON - HOUR, NOON - 2 * SECOND, GapReason.CATCH_UP)]


def test_skip_with_a_deadline_runs_what_the_deadline_allows() -> None:
    late = rules(CatchUp.SKIP, deadline=10 * MINUTE)
    due = due_slots(MINUTELY, after=NOON - HOUR, now=NOON + 30 * SECOND, rules=late)
    assert due.run == [NOON - n * MINUTE for n in range(9, -1, -1)]
    assert [reason for _, _, reason in gaps(due)] == [GapReason.DEADLINE]


def test_the_deadline_is_judged_before_catch_up() -> None:
    late = rules(CatchUp.ALL, deadline=timedelta(minutes=2, seconds=30))
    due = due_slots(MINUTELY, after=NOON - HOUR, now=NOON + 30 * SECOND, rules=late)
    assert due.run == [NOON - 2 * MINUTE, NOON - MINUTE, NOON]
    assert gaps(due) == [(NOON - HOUR, NOON - 2 * MINUTE - SECOND, GapReason.DEADLINE)]


def test_a_deadline_shorter_than_the_grace_still_holds() -> None:
    due = due_slots(MINUTELY, after=NOON - MINUTE, now=NOON + 3 * SECOND, rules=rules(deadline=2 * SECOND))
    assert due.run == []
    assert [reason for _, _, reason in gaps(due)] == [GapReason.DEADLINE]
    assert (due.last_slot, due.next_slot) == (NOON, NOON + MINUTE)


def test_slots_below_the_retention_floor_are_a_gap_of_their_own() -> None:
    due = due_slots(MINUTELY, after=NOON - 40 * DAY, now=NOON + 30 * SECOND, rules=rules())
    assert gaps(due) == [
        (NOON - 40 * DAY, NOON - 30 * DAY - SECOND, GapReason.BEYOND_RETENTION),
        (NOON - 30 * DAY - SECOND, NOON - SECOND, GapReason.CATCH_UP),
    ]
    assert due.run == [NOON]


def test_a_range_without_a_slot_is_no_gap() -> None:
    daily = build(ScheduleSpec("cron", cron="0 12 * * *"))
    due = due_slots(daily, after=NOON - HOUR, now=NOON + HOUR, rules=rules(deadline=2 * HOUR))
    assert (due.run, due.gaps) == ([NOON], [])


def test_a_secondly_job_that_was_off_for_forty_days_costs_a_handful_of_steps() -> None:
    steps = 0
    step = SECONDLY._next

    def counted(after: int) -> int | None:
        nonlocal steps
        steps += 1
        return step(after)

    SECONDLY._next = counted  # type: ignore[method-assign]  # counts what the engine is asked
    try:
        due = due_slots(SECONDLY, after=NOON - 40 * DAY, now=NOON, rules=rules(CatchUp.ALL, limit=10))
    finally:
        del SECONDLY._next
    assert len(due.run) == 10 + 6
    assert steps < 40


def test_skip_with_a_long_deadline_takes_a_bounded_number_and_goes_on_in_the_next_round() -> None:
    late = rules(CatchUp.SKIP, deadline=DAY)
    due = due_slots(SECONDLY, after=NOON - DAY, now=NOON, rules=late)
    assert len(due.run) == MOST_SLOTS
    assert due.last_slot == due.run[-1]
    assert due.next_slot == due.run[-1] + SECOND


@st.composite
def situations(draw: st.DrawFn) -> tuple[int, datetime, datetime, CatchUpRules]:
    period = draw(st.integers(1, 400))
    now = NOON + timedelta(milliseconds=draw(st.integers(0, 120_000)))
    after = now - timedelta(milliseconds=draw(st.integers(0, 4_000_000)))
    deadline = draw(st.none() | st.integers(0, 3000).map(lambda n: n * SECOND))
    floor = NOON - draw(st.integers(0, 4000)) * SECOND
    policy = draw(st.sampled_from(CatchUp))
    return period, after, now, rules(policy, limit=draw(st.integers(1, 20)), deadline=deadline, floor=floor)


def expected(slots: list[datetime], now: datetime, by: CatchUpRules) -> dict[datetime, str]:
    """The rules, slot by slot, in the plainest words."""
    fates: dict[datetime, str] = {}
    missed = []
    for slot in slots:
        if slot < by.floor:
            fates[slot] = GapReason.BEYOND_RETENTION
        elif by.deadline is not None and now - slot > by.deadline:
            fates[slot] = GapReason.DEADLINE
        elif now - slot > by.grace:
            missed.append(slot)
        else:
            fates[slot] = "run"
    window = MINUTE if by.deadline is None else by.deadline
    runs = {
        CatchUp.LATEST: missed[-1:],
        CatchUp.ALL: missed[: by.limit],
        CatchUp.SKIP: [slot for slot in missed if now - slot <= window],
    }[by.policy]
    return fates | {slot: "run" if slot in runs else str(GapReason.CATCH_UP) for slot in missed}


@given(situations())
def test_every_slot_runs_or_is_in_one_gap_with_the_reason_that_the_rules_give(
    situation: tuple[int, datetime, datetime, CatchUpRules],
) -> None:
    """I1."""
    period, after, now, by = situation
    schedule = build(ScheduleSpec("interval", interval_seconds=period, anchor_at=NOON - DAY))
    slots = schedule.between(after, now)
    due = due_slots(schedule, after=after, now=now, rules=by)
    fates: dict[datetime, list[str]] = {slot: [] for slot in slots}
    for slot in due.run:
        fates[slot].append("run")
    for gap in due.gaps:
        inside = schedule.between(gap.after, gap.until)
        assert inside, "a gap holds at least one slot"
        for slot in inside:
            fates[slot].append(str(gap.reason))
    want = expected(slots, now, by)
    assert fates == {slot: [want[slot]] for slot in slots}
    assert due.last_slot == (slots[-1] if slots else None)
    assert due.next_slot == schedule.next(now)
