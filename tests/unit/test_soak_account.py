"""The soak's account: what counts as lost, which fault explains a second start, and how soon a fault was over."""

from __future__ import annotations

from itertools import islice
from random import Random

from tests.crash.harness.checks import Breach
from tests.crash.soak.account import Account, Run, recovery, repeats, worst_late
from tests.crash.soak.ground import Fault
from tests.crash.soak.lanes import KINDS, rounds, seldom
from tests.crash.soak.table import Result, lines

KILLED = Fault("worker killed", at=100, until=101, held={"1-1"})


def _run(*starts: float, key: str = "1-1", due: float = 90.0, queue: str = "jobs.default", ends: int = 1) -> Run:
    return Run(key, due, queue, list(starts), ends)


def test_a_second_start_is_explained_by_a_fault_before_it_that_held_the_run() -> None:
    told = repeats([_run(91, 131)], [KILLED])
    assert (told.by_fault[0], told.unexplained) == (1, [])


def test_a_fault_explains_one_start_and_not_the_next() -> None:
    assert repeats([_run(91, 131, 132)], [KILLED]).unexplained == ["1-1"]


def test_a_fault_that_held_the_run_twice_explains_two_starts() -> None:
    again = Fault("worker frozen", at=140, until=180, held={"1-1"})
    told = repeats([_run(91, 131, 171)], [KILLED, again])
    assert (told.by_fault[0], told.by_fault[1], told.unexplained) == (1, 1, [])


def test_a_fault_explains_no_start_before_it_and_none_of_other_runs() -> None:
    assert repeats([_run(91, 99), _run(91, 131, key="1-2")], [KILLED]).unexplained == ["1-1", "1-2"]


def test_a_fault_is_over_when_the_last_run_that_it_held_starts_again() -> None:
    held = Fault("worker killed", at=100, until=101, held={"1-1", "1-2"})
    assert recovery([_run(91, 131), _run(91, 135, key="1-2")], held) == 35


def test_a_fault_that_held_nothing_is_over_when_later_slots_start_on_each_queue() -> None:
    runs = [_run(99, due=99), _run(103, due=102), _run(110, due=103, queue="jobs.fast"), _run(111, due=104)]
    assert recovery(runs, Fault("RabbitMQ restarted", at=100, until=102)) == 10


def test_the_latest_start_is_that_of_slots_due_in_the_fault_and_shortly_after() -> None:
    runs = [_run(150, due=99), _run(104, due=100), _run(125, due=110), _run(200, due=120)]
    assert worst_late(runs, KILLED) == 15


def test_a_run_without_an_effect_and_a_slot_that_is_nowhere_are_lost() -> None:
    account = Account([_run(91), _run(91, key="1-2", ends=0)], ["1-3"], {})
    assert account.lost == ["1-3", "1-2"]


def test_each_of_these_makes_a_soak_bad() -> None:
    good = Account([_run(91)], [], {"catch_up": 1})
    breach = Breach("standing", "1-1", "stands")
    assert _result(good).is_good
    assert not _result(Account([_run(91, ends=0)], [], {})).is_good
    assert not _result(Account([_run(91, 92)], [], {})).is_good
    assert not _result(Account([_run(91)], [], {"catch_up": None})).is_good
    assert not _result(good, breaches=[breach]).is_good
    assert not _result(good, untoward=["beat0 ended by itself with 1"]).is_good


def test_the_table_says_which_kinds_came_less_than_twice_and_what_could_not_be_injected() -> None:
    failed = Fault("leader killed", at=95, until=96, failed="no leader")
    told = "\n".join(lines(_result(Account([_run(91)], [], {}), faults=[KILLED, failed])))
    rare = next(line for line in told.splitlines() if "less than twice" in line)
    assert f"{len(KINDS)} kinds less than twice" in rare
    assert "leader killed" in rare
    assert "worker killed" not in rare
    assert "not injected: no leader" in told


def test_every_kind_comes_once_in_each_round_in_an_order_that_the_seed_decides() -> None:
    first = list(islice(rounds(KINDS, Random(1)), 2 * len(KINDS)))
    assert set(first[: len(KINDS)]) == set(KINDS) == set(first[len(KINDS) :])
    assert first == list(islice(rounds(KINDS, Random(1)), 2 * len(KINDS)))
    assert first != list(islice(rounds(KINDS, Random(2)), 2 * len(KINDS)))
    assert seldom(Fault(kind.name) for kind in first) == []


def _result(
    account: Account,
    *,
    faults: list[Fault] | None = None,
    breaches: list[Breach] | None = None,
    untoward: list[str] | None = None,
) -> Result:
    return Result("Soak", 80.0, account, faults or [], breaches or [], untoward or [])
