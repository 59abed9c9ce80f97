"""What becomes of a run, by how its attempt ended."""

from __future__ import annotations

import itertools
import math

import pytest

from jobs.domain.outcomes import LONGEST_WAIT, Attempt, Fault, Kind, Outcome, judge
from jobs.domain.policies import Delivery, Jitter
from jobs.domain.retry import RetryPolicy
from jobs.domain.states import RunStatus, is_allowed

ALWAYS = {
    Kind.SUCCEEDED: RunStatus.SUCCEEDED,
    Kind.IGNORED: RunStatus.SUCCEEDED,
    Kind.REJECTED: RunStatus.DEAD,
    Kind.CANCELLED: RunStatus.CANCELLED,
    Kind.MISSED: RunStatus.MISSED,
}
RETRIED = [Kind.FAILED, Kind.RETRY, Kind.REQUEUED, Kind.TIMED_OUT]
POLICY = RetryPolicy(base=4, jitter=Jitter.NONE)


@pytest.mark.parametrize(("kind", "delivery"), list(itertools.product(Kind, Delivery)))
def test_every_outcome_ends_in_a_status_that_a_running_run_may_take(kind: Kind, delivery: Delivery) -> None:
    for number in (1, 5, 9):
        verdict = judge(Outcome(kind), Attempt(number, 5, delivery=delivery))
        assert is_allowed(RunStatus.RUNNING, verdict.status)
        assert (verdict.record is None) == (kind is Kind.SUCCEEDED)


@pytest.mark.parametrize("kind", ALWAYS)
def test_some_outcomes_end_the_run_whatever_attempts_are_left(kind: Kind) -> None:
    assert {judge(Outcome(kind), Attempt(number, 5)).status for number in (1, 5, 6)} == {ALWAYS[kind]}


@pytest.mark.parametrize("kind", RETRIED)
def test_a_failure_is_retried_by_policy_until_the_attempts_are_used_up(kind: Kind) -> None:
    verdict = judge(Outcome(kind), Attempt(2, 3, POLICY))
    assert (verdict.status, verdict.delay) == (RunStatus.QUEUED, 8)
    assert judge(Outcome(kind), Attempt(3, 3, POLICY)).status is RunStatus.DEAD


@pytest.mark.parametrize("number", [1, 4])
def test_a_run_whose_child_was_lost_comes_back_soon_whatever_the_policy(number: int) -> None:
    attempt = Attempt(number, 5, RetryPolicy(base=300))
    waits = [judge(Outcome(Kind.WORKER_LOST), attempt, draw).delay for draw in (lambda: 0.0, lambda: 1.0)]
    assert waits == [1.0, 1.5]
    assert judge(Outcome(Kind.WORKER_LOST), Attempt(5, 5)).status is RunStatus.DEAD


@pytest.mark.parametrize("kind", [Kind.TIMED_OUT, Kind.WORKER_LOST, Kind.INTERRUPTED])
def test_an_at_most_once_body_that_was_cut_off_is_dead(kind: Kind) -> None:
    assert judge(Outcome(kind), Attempt(1, 5, delivery=Delivery.AT_MOST_ONCE)).status is RunStatus.DEAD


def test_an_interrupted_run_is_queued_at_once_even_after_its_last_attempt() -> None:
    verdict = judge(Outcome(Kind.INTERRUPTED), Attempt(5, 5))
    assert (verdict.status, verdict.delay) == (RunStatus.QUEUED, 0)


def test_a_retry_waits_as_asked_within_reason() -> None:
    def wait(asked: float | None) -> float:
        return judge(Outcome(Kind.RETRY, delay=asked), Attempt(1, 5, POLICY)).delay

    assert [wait(asked) for asked in (12.5, 0, -3, None)] == [12.5, 0, 0, 4]
    assert [wait(math.nan), wait(math.inf)] == [4, LONGEST_WAIT]


def test_a_retry_is_dead_beyond_its_own_limit_or_the_run_s() -> None:
    def status(number: int, max_retries: int | None) -> RunStatus:
        return judge(Outcome(Kind.RETRY, max_retries=max_retries), Attempt(number, 4)).status

    assert [status(number, 2) for number in (1, 2, 3)] == [RunStatus.QUEUED, RunStatus.QUEUED, RunStatus.DEAD]
    assert [status(number, None) for number in (3, 4)] == [RunStatus.QUEUED, RunStatus.DEAD]
    assert status(1, 0) is RunStatus.DEAD


def test_the_record_says_what_happened_and_the_newest_error_stands_in_a_line() -> None:
    fault = Fault.bounded("ValueError", "no\x00", "line\n" * 100_000, limit=1600)
    verdict = judge(Outcome(Kind.FAILED, fault=fault), Attempt(1, 5))
    assert verdict.last_error == "ValueError: no\N{REPLACEMENT CHARACTER}"
    assert verdict.record is not None
    assert (verdict.record["kind"], verdict.record["attempt"]) == ("failed", 1)
    assert len(verdict.record["traceback"]) <= 400
    assert verdict.record["traceback"].endswith("line\n")
