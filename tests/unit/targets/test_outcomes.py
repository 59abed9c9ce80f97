"""What becomes of an attempt by its answer or failure."""

from __future__ import annotations

import dataclasses
import json

import pytest

from jobs.domain.answers import Answer, Failure, FailureKind, outcome_of
from jobs.domain.outcomes import Attempt, Kind, judge
from jobs.domain.policies import Delivery
from jobs.domain.states import RunStatus

ANSWER = Answer(
    status=503,
    reason="Service Unavailable",
    seconds=0.0512,
    address="192.0.2.7",
    content_type="text/plain",
    text="busy",
    is_cut=False,
    retry_after=90.0,
)


@pytest.mark.parametrize("status", [200, 201, 204, 299])
def test_2xx_succeeds_and_leaves_no_fault(status: int) -> None:
    outcome = outcome_of(dataclasses.replace(ANSWER, status=status), retry_after_cap=60, limit=65536)

    assert (outcome.kind, outcome.fault, outcome.delay) == (Kind.SUCCEEDED, None, None)


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504, 599])
def test_a_passing_trouble_is_tried_again_not_before_the_capped_retry_after(status: int) -> None:
    outcome = outcome_of(dataclasses.replace(ANSWER, status=status), retry_after_cap=60, limit=65536)

    assert (outcome.kind, outcome.delay) == (Kind.FAILED, 60)


@pytest.mark.parametrize("status", [101, 300, 301, 302, 304, 307, 400, 401, 403, 404, 410, 418, 422])
def test_any_other_status_is_dead_at_once(status: int) -> None:
    outcome = outcome_of(dataclasses.replace(ANSWER, status=status), retry_after_cap=60, limit=65536)

    assert (outcome.kind, outcome.delay) == (Kind.REJECTED, None)
    assert judge(outcome, Attempt(1, 5)).status is RunStatus.DEAD


def test_the_fault_tells_status_reason_time_and_answer() -> None:
    outcome = outcome_of(ANSWER, retry_after_cap=60, limit=65536)

    assert str(outcome.fault) == "HTTP 503: Service Unavailable, in 0.05 s: busy"


def test_a_redirect_s_location_stands_in_the_fault_and_in_the_result() -> None:
    moved = dataclasses.replace(ANSWER, status=302, reason="Found", text="", location="https://elsewhere.example/7")
    outcome = outcome_of(moved, retry_after_cap=60, limit=65536)

    assert str(outcome.fault) == 'HTTP 302: Found, in 0.05 s, Location "https://elsewhere.example/7"'
    assert json.loads(outcome.result or "")["location"] == "https://elsewhere.example/7"


def test_the_result_is_set_for_a_failing_answer_too() -> None:
    outcome = outcome_of(ANSWER, retry_after_cap=60, limit=65536)

    assert json.loads(outcome.result or "") == {
        "status": 503,
        "seconds": 0.051,
        "address": "192.0.2.7",
        "answer": "busy",
        "content_type": "text/plain",
        "cut": False,
    }


@pytest.mark.parametrize(
    ("kind", "outcome_kind", "fault_type"),
    [
        (FailureKind.TIMED_OUT, Kind.TIMED_OUT, "TimedOut"),
        (FailureKind.REFUSED_ADDRESS, Kind.FAILED, "AddressRefused"),
        (FailureKind.UNRESOLVED, Kind.FAILED, "Unresolved"),
        (FailureKind.CONNECTION, Kind.FAILED, "ConnectionFailed"),
        (FailureKind.TLS, Kind.FAILED, "TLSFailed"),
        (FailureKind.PROTOCOL, Kind.FAILED, "ProtocolError"),
        (FailureKind.CANCELLED, Kind.CANCELLED, "Cancelled"),
    ],
)
def test_each_failure_has_its_outcome_and_its_type(kind: FailureKind, outcome_kind: Kind, fault_type: str) -> None:
    outcome = outcome_of(Failure(kind, "It broke.", 1.0, ""), retry_after_cap=60, limit=65536)

    assert (outcome.kind, str(outcome.fault)) == (outcome_kind, f"{fault_type}: It broke.")


def test_an_at_most_once_call_that_timed_out_is_dead() -> None:
    outcome = outcome_of(Failure(FailureKind.TIMED_OUT, "No answer.", 1.0, ""), retry_after_cap=60, limit=65536)

    assert judge(outcome, Attempt(1, 5, delivery=Delivery.AT_MOST_ONCE)).status is RunStatus.DEAD
