"""The steps of a tick, by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from jobs.beat.steps import Steps
from jobs.services.emit import Emitted
from jobs.store.look import Look
from jobs.store.terms import Term
from tests.support.leading import job_at, plan
from tests.support.times import MINUTE, NOON, SECOND


def tick(term: Term, monkeypatch: pytest.MonkeyPatch, emissions: list[Emitted]) -> None:
    """Tick half a minute after a slot whose job nobody emits, while others are."""
    left = iter(emissions)
    monkeypatch.setattr("jobs.beat.steps.emit_due", lambda _: next(left))
    holds: Any = SimpleNamespace(may_emit=True, may_reap=False)
    due = NOON + MINUTE
    seen = Look(due + 30 * SECOND, due, is_unplanned=False, is_uncounted=False, is_lease_lost=False, is_missed=False)
    Steps(term, holds, keep_term=lambda: None).run(seen)


@pytest.mark.parametrize("emissions", [[Emitted()], [Emitted(3, 3), Emitted()]], ids=["none else", "others"])
def test_a_locked_job_is_told_of_whether_or_not_others_are_emitted(
    term: Term, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, emissions: list[Emitted]
) -> None:
    job = job_at(NOON)
    plan(term)
    tick(term, monkeypatch, emissions)
    assert f"job.locked job={job.name}" in caplog.text


def test_a_backlog_that_a_tick_has_no_time_for_is_not_taken_for_locked(
    term: Term, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    job_at(NOON)
    plan(term)
    monkeypatch.setattr("jobs.beat.steps.STEP_SECONDS", 0.0)
    tick(term, monkeypatch, [Emitted(1000, 1000)])
    assert "job.locked" not in caplog.text
