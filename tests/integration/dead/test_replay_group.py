"""Many dead runs are replayed at a rate, each once, and no more of a job at a time than it allows."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.db import transaction

from jobs.domain.messages import RunKey
from jobs.domain.states import RunStatus
from jobs.errors import InvalidFieldError
from jobs.models import JobRun
from jobs.services import dispatch
from jobs.services import replay as replay_module
from jobs.services.archive import archive
from jobs.services.replay import replay, replay_group, replay_selected
from jobs.store import dead
from jobs.store.clock import database_now
from tests.integration.dead.conftest import BUSY, group_of, make_dead
from tests.support.elsewhere import Elsewhere, sql
from tests.support.factories import make_job
from tests.support.job_history import get_run, make_run
from tests.support.waiting import wait_until

pytestmark = pytest.mark.django_db


def statuses(keys: list[RunKey]) -> list[str]:
    return [get_run(key).status for key in keys]


def test_all_of_a_group_are_queued_and_others_stay_dead() -> None:
    keys, others = make_dead(make_job(), 3), make_dead(make_job(), error="HTTP 404: busy")

    report = replay_group(group_of(BUSY), who="ann")

    assert (report.replayed, report.refused, report.left) == (3, [], 0)
    assert statuses(keys) == ["queued"] * 3
    assert statuses(others) == ["dead"]
    run = get_run(keys[0])
    assert (run.token, run.max_attempts, run.error_group) == (1, 10, None)
    assert {"kind": "replayed", "by": "ann"}.items() <= run.errors[-1].items()


def test_a_rate_spreads_the_starts_and_the_first_is_due_at_once() -> None:
    keys = make_dead(make_job(), 5)
    begun = database_now()
    replay_group(group_of(BUSY), rate=2)
    starts = [get_run(key).run_after for key in keys]

    assert starts[0] <= database_now()
    for number, start in enumerate(starts):
        assert start >= begun + timedelta(seconds=number / 2)
    assert all(later - earlier == timedelta(seconds=0.5) for earlier, later in pairwise(starts))


def test_the_rate_holds_over_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay_module, "_BATCH", 2)
    keys = make_dead(make_job(), 5)
    replay_group(group_of(BUSY), rate=10)
    starts = [get_run(key).run_after for key in keys]
    assert all(later - earlier >= timedelta(seconds=0.1) for earlier, later in pairwise(starts))


def test_the_oldest_go_first_up_to_the_limit_and_what_is_left_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay_module, "_BATCH", 2)
    keys = make_dead(make_job(), 7)
    report = replay_group(group_of(BUSY), limit=5)
    assert (report.replayed, report.left) == (5, 2)
    assert statuses(keys) == ["queued"] * 5 + ["dead"] * 2


@pytest.mark.parametrize("policy", ["forbid", "replace"])
def test_a_job_that_runs_one_at_a_time_gets_one_run_back(policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay_module, "_BATCH", 2)
    job = make_job(name="alone", concurrency_policy=policy)
    keys, free = make_dead(job, 5, ago=100), make_dead(make_job(), 2)

    report = replay_group(group_of(BUSY))

    assert statuses(keys) == ["queued"] + ["dead"] * 4
    assert statuses(free) == ["queued"] * 2
    assert (report.replayed, report.left) == (3, 4)
    assert report.refused == [
        f'Job "alone" runs one at a time (concurrency policy {policy}) and run {keys[0]} is queued. '
        f"Wait for it or cancel it, then replay {keys[1]}."
    ]


def test_a_job_with_an_open_run_gets_none_back() -> None:
    job = make_job(concurrency_policy="forbid")
    keys, active = make_dead(job, 2), make_run(job, RunStatus.RUNNING)
    report = replay_group(group_of(BUSY))
    assert (report.replayed, report.left) == (0, 2)
    assert f"run {active.key} is running" in report.refused[0]
    assert statuses(keys) == ["dead"] * 2


def test_runs_of_an_archived_job_stay_dead_and_hold_up_no_other() -> None:
    job, other = make_job(), make_job()
    keys, free = make_dead(job, 2, ago=100), make_dead(other)
    archive(job)
    report = replay_group(group_of(BUSY))
    assert (report.replayed, report.left) == (1, 2)
    assert report.refused == [f"Run {keys[0]} is dead, but its job is archived: it cannot run again."]
    assert statuses(free) == ["queued"]


def test_only_runs_of_a_job_or_of_some_days_are_replayed_when_asked() -> None:
    one, other = make_job(), make_job()
    old, mine, theirs = make_dead(one, ago=10 * 86_400), make_dead(one), make_dead(other)
    assert replay_group(group_of(BUSY), job=one).replayed == 1
    assert statuses([*old, *mine, *theirs]) == ["dead", "queued", "dead"]
    assert replay_group(group_of(BUSY), since=database_now() - timedelta(days=20)).replayed == 2


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan"), float("inf"), 1001.0])
def test_a_rate_that_cannot_be_is_refused(rate: float) -> None:
    with pytest.raises(InvalidFieldError, match=r"runs a second is not from 0\.01 to 1,000"):
        replay_group(group_of(BUSY), rate=rate)


@pytest.mark.parametrize("limit", [0, -1, 10_001])
def test_a_limit_that_cannot_be_is_refused(limit: int) -> None:
    with pytest.raises(InvalidFieldError, match="runs are not from 1 to 10,000"):
        replay_group(group_of(BUSY), limit=limit)


def test_selected_runs_are_replayed_and_each_refusal_is_told() -> None:
    keys = make_dead(make_job(), 2)
    done, unknown = make_run(make_job(), RunStatus.SUCCEEDED), RunKey(4711, database_now())

    report = replay_selected([keys[0], done.key, keys[0], unknown], who="ann")

    assert report.replayed == 1
    assert statuses(keys) == ["queued", "dead"]
    assert report.refused[0] == f"Run {done.key} is succeeded; only a dead run can be replayed."
    assert report.refused[1].startswith(f"There is no run {unknown}")


def test_the_history_of_a_run_that_is_replayed_for_ever_stays_bounded() -> None:
    errors = [{"kind": "failed", "attempt": number} for number in range(20)]
    (key,) = make_dead(make_job(), errors=errors)
    replay(key)
    assert len(get_run(key).errors) == 20
    assert get_run(key).errors[-1]["kind"] == "replayed"


@pytest.mark.django_db(transaction=True)
def test_two_people_who_replay_at_once_replay_each_run_once() -> None:
    """The second waits for the first one's rows, and finds them dead no more."""
    keys = make_dead(make_job(), 6)
    with Elsewhere() as there:
        with transaction.atomic():
            first = replay_group(group_of(BUSY))
            asked = there.begin(replay_group, group_of(BUSY))
            wait_until(lambda: sql("SELECT 1 FROM pg_locks WHERE NOT granted"), what="the second to wait")
        second = asked.result(30)
    assert (first.replayed, second.replayed, second.left) == (6, 0, 0)
    assert {get_run(key).token for key in keys} == {1}


@pytest.mark.django_db(transaction=True)
def test_a_replay_waits_for_whoever_makes_a_run_of_a_job_that_runs_one_at_a_time() -> None:
    """The cursor's lock comes first, the look at open runs in a statement after it."""
    job = make_job(concurrency_policy="forbid")
    keys = make_dead(job, 2)
    with Elsewhere() as there:
        with transaction.atomic():
            sql("SELECT 1 FROM jobs_cursor WHERE job_id = %s FOR NO KEY UPDATE", job.pk)
            asked = there.begin(replay_group, group_of(BUSY))
            wait_until(lambda: sql("SELECT 1 FROM pg_locks WHERE NOT granted"), what="the replay to wait")
            make_run(job)
        report = asked.result(30)
    assert report.replayed == 0
    assert statuses(keys) == ["dead"] * 2


@pytest.mark.django_db(transaction=True)
def test_a_run_that_died_anew_since_it_was_chosen_is_not_replayed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    (key,) = make_dead(make_job())
    chosen = dead.dead_keys

    def stale(*args: Any, **options: Any) -> Any:
        found = chosen(*args, **options)
        JobRun.objects.filter(job_id=key.job_id).update(token=7)
        return found

    monkeypatch.setattr(dead, "dead_keys", stale)
    assert replay_group(group_of(BUSY)).replayed == 0
    assert get_run(key).status == "dead"


@pytest.mark.django_db(transaction=True)
def test_only_what_is_due_at_once_in_the_first_batch_is_published_by_the_caller(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    published: list[tuple[RunKey, ...]] = []
    monkeypatch.setattr(dispatch, "publish", lambda keys: published.append(keys))
    monkeypatch.setattr(replay_module, "_BATCH", 2)
    keys = make_dead(make_job(), 5)

    replay_group(group_of(BUSY), rate=5, limit=3)
    replay_group(group_of(BUSY))

    assert [list(batch) for batch in published] == [[keys[0]], keys[3:]]
