"""What becomes of a run whose lease ran out."""

from __future__ import annotations

from typing import Any

from jobs.domain.lost_lease import fate
from jobs.domain.states import RunStatus


def lost(**fields: Any) -> Any:
    return fate(
        **{
            "is_cancelled": False,
            "delivery": "at_least_once",
            "attempts": 1,
            "max_attempts": 5,
            "losses": 0,
            "is_noted": True,
            **fields,
        }
    )


def test_it_goes_back_with_a_growing_pause() -> None:
    found = [lost(losses=losses) for losses in (0, 1, 5, 6, 2000)]
    assert [run.status for run in found] == [RunStatus.QUEUED] * 5
    assert [run.delay for run in found] == [1, 2, 32, 60, 60]


def test_a_cancel_request_ends_it() -> None:
    assert lost(is_cancelled=True).status is RunStatus.CANCELLED


def test_at_most_once_is_never_started_again() -> None:
    assert lost(delivery="at_most_once", attempts=0).status is RunStatus.DEAD


def test_the_last_attempt_was_the_last() -> None:
    assert lost(attempts=5).status is RunStatus.DEAD
    assert lost(attempts=4).status is RunStatus.QUEUED


def test_a_run_whose_job_is_gone_still_finds_an_end() -> None:
    assert lost(delivery=None, attempts=5).status is RunStatus.DEAD


def test_a_start_that_was_not_noted_is_not_called_an_attempt_that_was() -> None:
    found = lost(attempts=0, is_noted=False)
    assert found.status is RunStatus.QUEUED
    assert "No start of attempt 1 had been noted, so it is not counted" in found.note
    assert "attempt" not in lost(attempts=1).note
