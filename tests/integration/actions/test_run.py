"""Runs made by hand: their identity, their time, the concurrency policies."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import connection

from jobs.domain.messages import RunKey
from jobs.domain.states import RunStatus, Trigger
from jobs.errors import ConflictError, InvalidFieldError
from jobs.models import JobRun
from jobs.services.archive import archive
from jobs.services.dispatch import select_by_key
from jobs.services.run import run_job
from jobs.store.clock import database_now
from jobs.store.runs import NewRun, ensure_days, insert_runs
from tests.support.factories import make_endpoint, make_job
from tests.support.job_history import get_run, make_run

pytestmark = pytest.mark.django_db
NEXT_MINUTE = timedelta(minutes=1)


def test_a_manual_run_takes_the_databases_now_and_never_a_whole_second() -> None:
    before = database_now()
    run = get_run(run_job(make_job()))
    assert before <= run.scheduled_for <= database_now()
    assert run.scheduled_for.microsecond
    assert (run.status, run.trigger) == (RunStatus.QUEUED, Trigger.MANUAL)
    assert run.due_at == run.run_after <= run.scheduled_for


def test_a_run_carries_what_the_job_says() -> None:
    job = make_job(
        queue="jobs.fast", priority=7, max_attempts=3, starting_deadline_seconds=60, concurrency_policy="forbid"
    )
    run = get_run(run_job(job, payload={"args": [1], "kwargs": {"a": "café ☃"}}, trigger=Trigger.API))
    assert (run.queue, run.priority, run.max_attempts, run.exclusive) == ("jobs.fast", 7, 3, True)
    assert run.start_by == run.due_at + timedelta(seconds=60)
    assert (run.payload, run.trigger) == ({"args": [1], "kwargs": {"a": "café ☃"}}, Trigger.API)


def test_a_run_at_a_time_takes_it_plus_a_microsecond_and_is_due_at_it() -> None:
    at = (database_now() + timedelta(days=80)).replace(microsecond=0)
    run = get_run(run_job(make_job(), at=at))
    assert (run.run_after, run.scheduled_for) == (at, at + timedelta(microseconds=1))


def test_runs_at_one_time_follow_each_other_by_microseconds() -> None:
    job = make_job()
    at = (database_now() + NEXT_MINUTE).replace(microsecond=0)
    micros = [run_job(job, at=at).scheduled_for.microsecond for _ in range(5)]
    assert micros == [1, 2, 3, 4, 5]


def test_a_run_by_hand_never_takes_the_slot_of_the_next_second() -> None:
    job = make_job()
    at = (database_now() + NEXT_MINUTE).replace(microsecond=999_999)
    make_run(job, scheduled_for=at)
    slots = [run_job(job, at=at).scheduled_for, run_job(job, at=at - timedelta(microseconds=1)).scheduled_for]
    second = at + timedelta(microseconds=1)
    assert slots == [second + timedelta(microseconds=1), second + timedelta(microseconds=2)]


def test_a_delayed_run_is_due_after_the_delay_by_the_databases_clock() -> None:
    before = database_now()
    run = get_run(run_job(make_job(), delay=timedelta(seconds=30)))
    assert before + timedelta(seconds=30) <= run.run_after <= database_now() + timedelta(seconds=30)
    assert run.scheduled_for.microsecond


def test_a_time_in_another_zone_lands_in_the_partition_of_its_utc_day() -> None:
    at = (database_now() + timedelta(days=40)).replace(hour=23, minute=30, microsecond=0)
    run = get_run(run_job(make_job(), at=at.astimezone(ZoneInfo("Pacific/Kiritimati"))))
    assert run.run_after == at


@pytest.mark.parametrize("args", [[None], ["café ☃"], [{"a": [1.5, True]}], ["x" * 100_000], [2**70], ["\u2028\u202e"]])
def test_b130_what_a_run_is_called_with_reaches_the_message_unchanged(args: list[Any]) -> None:
    job = make_job(args=args, kwargs={"a": args})
    of_the_job, of_the_run = run_job(job), run_job(job, payload={"args": [args]})
    bodies = {out.key: json.loads(out.content.body) for out in select_by_key([of_the_job, of_the_run])}
    assert bodies[of_the_job][:2] == [args, {"a": args}]
    assert bodies[of_the_run][:2] == [[args], {"a": args}]


REFUSED = [
    ({"at": datetime(2020, 1, 1, tzinfo=UTC)}, "at", r"The time 2020-01-01 00:00:00\+00:00 has passed"),
    (
        {"at": datetime(2999, 1, 1, tzinfo=UTC)},
        "at",
        r"more than 90 days ahead. For later times make a job of kind once",
    ),
    ({"at": datetime(2999, 1, 1)}, "at", "has no offset from UTC"),
    ({"delay": timedelta(seconds=-1)}, "delay", r"A delay of -1 s is outside 0 to 7,776,000 s \(90 days\)"),
    ({"delay": timedelta(days=91)}, "delay", "is outside 0 to"),
    ({"at": datetime(2999, 1, 1, tzinfo=UTC), "delay": timedelta()}, "at", "a time or a delay, not both"),
    ({"payload": {"args": {"a": 1}}}, "args", "must be a JSON list"),
    ({"payload": {"kwargs": [1]}}, "kwargs", "must be a JSON object"),
    ({"payload": {"kwargs": {"a": "x" * 140_000}}}, "kwargs", "131,072 are allowed"),
    (
        {"payload": {"body": 1}},
        "body",
        'This job calls a Celery task; allowed are args and kwargs. Leave "body" out',
    ),
]


@pytest.mark.parametrize(("options", "field", "message"), REFUSED, ids=[message for *_, message in REFUSED])
def test_what_cannot_be_asked_of_a_run_is_refused(options: dict[str, Any], field: str, message: str) -> None:
    with pytest.raises(InvalidFieldError, match=message) as caught:
        run_job(make_job(), **options)
    assert caught.value.field == field
    assert not JobRun.objects.exists()


def test_a_run_of_an_http_job_takes_another_body_and_no_arguments() -> None:
    job = make_job(task="", endpoint=make_endpoint(), body={"a": 1})
    assert get_run(run_job(job, payload={"body": {"a": "{{ run }}"}})).payload == {"body": {"a": "{{ run }}"}}
    with pytest.raises(InvalidFieldError, match=r'allowed is body\. Leave "args" out'):
        run_job(job, payload={"args": [1]})
    with pytest.raises(InvalidFieldError, match="is no placeholder") as caught:
        run_job(job, payload={"body": ["{{ order }}"]})
    assert caught.value.field == "body"


def test_what_a_run_may_be_called_with_is_judged_by_the_job_as_it_is_now() -> None:
    job = make_job()
    old_copy = type(job).objects.get(pk=job.pk)
    job.task, job.endpoint = "", make_endpoint()
    job.save()
    with pytest.raises(InvalidFieldError, match="POSTs to an endpoint"):
        run_job(old_copy, payload={"args": [1]})


def test_an_archived_job_does_not_run_even_when_the_caller_holds_an_old_copy() -> None:
    job = make_job()
    old_copy = type(job).objects.get(pk=job.pk)
    archive(job)
    with pytest.raises(ConflictError, match="is archived and cannot run"):
        run_job(old_copy)


@pytest.mark.parametrize("status", [RunStatus.QUEUED, RunStatus.RUNNING])
def test_forbid_refuses_a_second_run_and_names_the_active_one(status: RunStatus) -> None:
    job = make_job(concurrency_policy="forbid")
    active = make_run(job, status)
    with pytest.raises(
        ConflictError, match=rf"run {active.key} is {status}\. Wait for it, cancel it, or force the run"
    ):
        run_job(job)


def test_a_forced_run_leaves_the_policy_out_and_counts_as_active_itself() -> None:
    job = make_job(concurrency_policy="forbid")
    make_run(job, RunStatus.RUNNING)
    key = run_job(job, force=True)
    assert get_run(key).exclusive
    with pytest.raises(ConflictError):
        run_job(job)


@pytest.mark.parametrize(
    ("policy", "effect"),
    [
        ("forbid", r"would turn away every slot until 20\d\d-"),
        ("replace", r"would end the run that is active now, and the first slot before 20\d\d-.* would replace it"),
    ],
)
def test_a_run_for_later_of_a_job_that_runs_one_at_a_time_must_be_forced(policy: str, effect: str) -> None:
    job = make_job(concurrency_policy=policy)
    later: list[dict[str, Any]] = [{"at": database_now() + NEXT_MINUTE}, {"delay": NEXT_MINUTE}]
    for when in later:
        with pytest.raises(ConflictError, match=rf"{effect}.*\(--force\), or make a job of kind once"):
            run_job(job, **when)
        assert get_run(run_job(job, **when, force=True)).exclusive
    JobRun.objects.all().delete()
    assert get_run(run_job(job, delay=timedelta())).status == RunStatus.QUEUED


def test_forbid_lets_a_run_in_when_the_last_has_ended() -> None:
    job = make_job(concurrency_policy="forbid")
    make_run(job, RunStatus.SUCCEEDED)
    assert get_run(run_job(job)).status == RunStatus.QUEUED


def test_replace_cancels_the_queued_run_and_asks_the_running_one_to_end() -> None:
    job = make_job(concurrency_policy="replace")
    running = make_run(job, RunStatus.RUNNING)
    queued = make_run(job)
    newer = get_run(run_job(job))
    running, queued = get_run(running.key), get_run(queued.key)
    assert (running.status, running.cancel_requested_at is not None) == (RunStatus.RUNNING, True)
    assert (queued.status, queued.last_error) == (
        RunStatus.CANCELLED,
        f"Replaced by run {newer.key} before it started (concurrency policy replace).",
    )
    assert newer.replaces == running.scheduled_for


def test_a_slot_at_the_same_instant_is_never_overwritten() -> None:
    """I2: a manual run beside a scheduled one of the same second."""
    job = make_job()
    at = (database_now() + NEXT_MINUTE).replace(microsecond=0)
    ensure_days([at])
    insert_runs([NewRun(job.pk, at, at, "jobs.default")])
    assert run_job(job, at=at) == RunKey(job.pk, at + timedelta(microseconds=1))


@pytest.mark.django_db(transaction=True)
def test_of_many_forbidden_at_once_exactly_one_gets_in() -> None:
    """Lock, then look in a second statement."""
    job = make_job(concurrency_policy="forbid", queue="jobs.default")
    barrier, outcomes = threading.Barrier(6), []

    def ask() -> None:
        try:
            barrier.wait()
            run_job(job)
            outcomes.append("in")
        except ConflictError:
            outcomes.append("refused")
        finally:
            connection.close()

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(outcomes) == ["in", *["refused"] * 5]
    assert JobRun.objects.count() == 1
