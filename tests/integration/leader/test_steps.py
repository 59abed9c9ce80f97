"""The steps of a tick, by hand."""

from __future__ import annotations

import uuid
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from pytest_django import Settings

from jobs.beat.steps import Steps
from jobs.conf import config
from jobs.domain.states import RunStatus
from jobs.models import SlotGap
from jobs.services.emit import Emitted
from jobs.services.ensure_partitions import ensure_partitions
from jobs.services.lead import take_term
from jobs.services.reap import window
from jobs.store import terms
from jobs.store.clock import database_now
from jobs.store.look import Look, look
from jobs.store.terms import Term
from tests.support.factories import make_job
from tests.support.job_history import get_run, make_run
from tests.support.leading import job_at, plan
from tests.support.times import MINUTE, NOON, SECOND


def tick(term: Term, monkeypatch: pytest.MonkeyPatch, emissions: list[Emitted]) -> None:
    """Tick half a minute after a slot whose job nobody emits, while others are."""
    left = iter(emissions)
    monkeypatch.setattr("jobs.beat.steps.emit_due", lambda _: next(left))
    holds: Any = SimpleNamespace(may_emit=True, may_reap=False)
    due = NOON + MINUTE
    seen = Look(due + 30 * SECOND, due, is_unplanned=False, is_uncounted=False, is_lease_lost=False, is_missed=False)
    Steps(term, holds, keep_term=lambda: None, on_emitted=lambda: None).run(seen)


def test_each_batch_is_told_of_at_once_so_that_its_runs_do_not_wait_for_the_last_one(
    term: Term, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches = iter([Emitted(3, 3), Emitted(2, 0), Emitted(3, 1), Emitted()])
    order: list[str | Emitted] = []
    monkeypatch.setattr("jobs.beat.steps.emit_due", lambda _: order.append(batch := next(batches)) or batch)
    holds: Any = SimpleNamespace(may_emit=True, may_reap=False)
    seen = Look(NOON, NOON, is_unplanned=False, is_uncounted=False, is_lease_lost=False, is_missed=False)

    Steps(term, holds, keep_term=lambda: None, on_emitted=lambda: order.append("told")).run(seen)

    assert order == [Emitted(3, 3), "told", Emitted(2, 0), Emitted(3, 1), "told", Emitted()]


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


def test_an_emission_that_fails_leaves_no_job_taken_for_locked(
    term: Term, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    job_at(NOON)
    plan(term)
    tick(term, monkeypatch, [])
    assert "beat.step_failed step=emit" in caplog.text
    assert "job.locked" not in caplog.text


def test_a_leader_keeps_its_term_while_it_makes_many_partitions(
    term: Term, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """After a long absence they take longer than a term is trusted."""
    settings.BEATKEEPER = {"RETENTION_DAYS": 1}
    config.cache_clear()
    monkeypatch.setattr("jobs.beat.steps.STEP_SECONDS", 0.0)
    kept: list[None] = []
    holds: Any = SimpleNamespace(may_emit=False, may_reap=False)
    far = NOON + timedelta(days=20 * 365)
    seen = Look(far, None, is_unplanned=False, is_uncounted=False, is_lease_lost=False, is_missed=False)
    Steps(term, holds, keep_term=lambda: kept.append(None), on_emitted=lambda: None).run(seen)
    assert len(kept) >= 15
    assert ensure_partitions(far) == 0


@pytest.mark.parametrize("shard", [0, 1])
def test_what_belongs_to_no_shard_is_the_first_one_s_leader_s(db: None, shard: int) -> None:
    job, now = make_job(cron="0 0 1 1 *"), database_now()
    lost = make_run(job, RunStatus.RUNNING, locked_until=now - timedelta(hours=1))
    gap = SlotGap.objects.create(job=job, after=now - timedelta(days=800), until=now, reason="edited", version=1)
    won = take_term(shard, holder=uuid.uuid4())
    assert won is not None
    lo, hi = window(now, everywhere=False)
    seen = look(shard, lease_seconds=30, lo=lo, hi=hi)
    assert (seen.is_lease_lost, seen.is_uncounted) == (shard == 0, shard == 0)

    holds: Any = SimpleNamespace(may_emit=False, may_reap=True)
    Steps(won, holds, keep_term=lambda: None, on_emitted=lambda: None).run(seen)

    gap.refresh_from_db()
    assert get_run(lost.key).status == ("queued" if shard == 0 else "running")
    assert (gap.count is not None) is (shard == 0)
    terms.unlock(shard)
