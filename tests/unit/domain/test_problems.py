"""What the facts of the platform amount to: problems in words, and one verdict."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from jobs.domain.platform import (
    BrokerFacts,
    BrokerState,
    LeaseFacts,
    PartitionFacts,
    PlatformFacts,
    QueueFacts,
    ShardFacts,
    ShardNumbers,
    ZoneFacts,
)
from jobs.domain.problems import Code, Patience, Severity, in_words, problems, verdict

LED = ShardFacts(0, term=3, host="beat-1", seconds_since_election=900, seconds_since_tick=1.2, is_leading=True)
CONSUMED = QueueFacts("jobs.default", is_consumed=True)
WELL = PlatformFacts(
    now=datetime(2026, 7, 1, tzinfo=UTC),
    shards=(LED,),
    queues=(CONSUMED,),
    broker=BrokerFacts(BrokerState.CONNECTED, seconds_since_seen=2),
    zone_rules=ZoneFacts("2026.1", "2026.1"),
)


def found(**changes: Any) -> list[str]:
    """Codes of a platform that is well but for these facts."""
    return [problem.code for problem in problems(replace(WELL, **changes), Patience())]


def queue(**changes: Any) -> dict[str, Any]:
    return {"queues": (replace(CONSUMED, **changes),)}


def leader(**changes: Any) -> dict[str, Any]:
    return {"shards": (replace(LED, **changes),)}


SILENT = leader(is_leading=False, seconds_since_tick=42)


def test_a_platform_that_is_well_has_no_problem() -> None:
    assert found() == []
    assert verdict(()) == "ok"


CASES = [
    (leader(is_leading=False, seconds_since_tick=None), [Code.LEADER_MISSING]),
    (SILENT, [Code.LEADER_SILENT]),
    (leader(emission_late_seconds=61), [Code.EMISSION_LATE]),
    (leader(emission_late_seconds=59), []),
    ({"broker": BrokerFacts(BrokerState.BLOCKED, "low on memory")}, [Code.BROKER_BLOCKED]),
    ({"broker": BrokerFacts(BrokerState.AWAY, "refused")}, [Code.BROKER_AWAY]),
    ({"broker": BrokerFacts()}, [Code.DISPATCHER_SILENT]),
    ({"broker": BrokerFacts(), **leader(seconds_since_election=10)}, []),
    (queue(is_blocked=True, blocked_because="refused"), [Code.QUEUE_REFUSED]),
    (queue(waiting=3, oldest_waiting_seconds=61), [Code.WORK_UNSENT]),
    (queue(waiting=3, oldest_waiting_seconds=59), []),
    (queue(sent=2, oldest_sent_seconds=31, is_consumed=False), [Code.WORK_UNCLAIMED]),
    (queue(sent=2, oldest_sent_seconds=29, is_consumed=False), []),
    (queue(sent=2, oldest_sent_seconds=31), []),
    (queue(sent=2, oldest_sent_seconds=901), [Code.QUEUE_BEHIND]),
    (queue(waiting=9, oldest_waiting_seconds=301, is_full=True), [Code.QUEUE_BEHIND]),
    (queue(waiting=9, oldest_waiting_seconds=299, is_full=True), []),
    (queue(is_consumed=False), []),  # nothing waits there: a team need not use every queue
    ({"unknown_queues": ("reports",)}, [Code.QUEUE_UNKNOWN]),
    ({"leases": LeaseFacts(2, 121)}, [Code.STUCK_RUNS]),
    ({"leases": LeaseFacts(2, 119)}, []),
    ({"partitions": PartitionFacts(1, 6)}, [Code.PARTITIONS_MISSING]),
    ({"partitions": PartitionFacts(1, 7)}, []),
    ({"zone_rules": ZoneFacts("2026.1", "2019.1")}, [Code.TZDATA_DIFFERS]),
    ({"zone_rules": ZoneFacts("2026.1", None)}, []),
    ({"shard_numbers": ShardNumbers(here=4, written=1)}, [Code.SHARDS_DIFFER]),
    ({"shard_numbers": ShardNumbers(here=4, written=4)}, []),
]


@pytest.mark.parametrize(("changes", "codes"), CASES, ids=[f"{i}-{codes}" for i, (_, codes) in enumerate(CASES)])
def test_each_fact_has_its_problem_and_no_other(changes: dict[str, Any], codes: list[Code]) -> None:
    assert found(**changes) == codes


def test_every_code_has_a_case() -> None:
    assert {code for _, codes in CASES for code in codes} == set(Code)


def test_what_only_follows_from_a_named_problem_is_not_named_again() -> None:
    waiting = queue(waiting=3, oldest_waiting_seconds=500)
    assert found(**SILENT, **waiting, broker=BrokerFacts()) == [Code.LEADER_SILENT]
    assert found(**waiting, broker=BrokerFacts(BrokerState.BLOCKED)) == [Code.BROKER_BLOCKED]


def test_work_that_nobody_claims_is_told_of_without_a_leader_too() -> None:
    lost = queue(sent=1, oldest_sent_seconds=60, is_consumed=False)
    assert found(**SILENT, **lost) == [Code.LEADER_SILENT, Code.WORK_UNCLAIMED]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (SILENT, "down"),
        ({"broker": BrokerFacts(BrokerState.BLOCKED)}, "down"),
        ({"partitions": PartitionFacts(13, 1)}, "down"),
        ({"partitions": PartitionFacts(12, 2)}, "degraded"),
        (queue(sent=1, oldest_sent_seconds=60, is_consumed=False), "degraded"),
    ],
)
def test_the_verdict_is_that_of_the_worst(changes: dict[str, Any], expected: str) -> None:
    tz = {"zone_rules": ZoneFacts("2026.1", "2019.1")}  # a lesser one beside it
    assert verdict(problems(replace(WELL, **tz, **changes), Patience())) == expected


def test_the_worst_come_first() -> None:
    both = problems(replace(WELL, partitions=PartitionFacts(14, 0), **queue(is_blocked=True)), Patience())
    assert [problem.severity for problem in both] == [Severity.DOWN, Severity.DEGRADED]


def test_a_problem_says_who_what_and_the_mend() -> None:
    (problem,) = problems(replace(WELL, **queue(sent=1000, oldest_sent_seconds=720, is_consumed=False)), Patience())
    assert problem.subject == "jobs.default"
    assert problem.message == (
        "1,000 or more runs are sent to queue jobs.default and taken by no worker, the oldest for 12 minutes."
    )
    assert problem.what_to_do == "Start one: celery -A PROJECT worker -Q jobs.default"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "0 s"), (119, "119 s"), (120, "2 minutes"), (7_199, "120 minutes"), (7_200, "2 hours"), (172_800, "2 days")],
)
def test_ages_are_said_in_the_largest_unit_of_which_there_are_two(seconds: float, words: str) -> None:
    assert in_words(seconds) == words
