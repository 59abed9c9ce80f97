"""What a new run does to the unfinished ones."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from jobs.domain.messages import RunKey
from jobs.domain.overlap import Overlap, decide
from jobs.domain.policies import ConcurrencyPolicy
from jobs.domain.states import RunStatus

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Open:
    key: RunKey
    status: RunStatus


RUNNING = Open(RunKey(1, NOON + timedelta(minutes=1)), RunStatus.RUNNING)
QUEUED = Open(RunKey(1, NOON), RunStatus.QUEUED)


def test_allow_meets_nobody() -> None:
    assert decide(ConcurrencyPolicy.ALLOW, [QUEUED, RUNNING]) == Overlap()


def test_no_unfinished_run_is_in_no_ones_way() -> None:
    assert [decide(policy, []) for policy in ConcurrencyPolicy] == [Overlap()] * 3


def test_forbid_is_turned_away_by_the_running_run_before_a_queued_one() -> None:
    assert decide(ConcurrencyPolicy.FORBID, [QUEUED, RUNNING]) == Overlap(turned_away_by=RUNNING.key)
    assert decide(ConcurrencyPolicy.FORBID, [QUEUED]) == Overlap(turned_away_by=QUEUED.key)


def test_replace_stops_all_unfinished_runs() -> None:
    assert decide(ConcurrencyPolicy.REPLACE, [QUEUED, RUNNING]) == Overlap(replaced=(QUEUED.key, RUNNING.key))
