"""Which ends are announced, each by one run of ``system.webhook``, and what keeps that job at work."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError

from jobs.domain.messages import RunKey
from jobs.domain.states import TERMINAL, RunStatus, Trigger
from jobs.errors import ConflictError, LeadershipLostError
from jobs.models import Endpoint, Job, JobRun
from jobs.services.announce import announce
from jobs.services.archive import archive
from jobs.services.cancel import cancel
from jobs.services.replay import replay
from jobs.services.run import run_job
from jobs.store.terms import Term
from tests.support.elsewhere import Elsewhere, sql
from tests.support.factories import make_endpoint, make_job
from tests.support.leading import emit, job_at
from tests.support.runs import get_run, make_run, set_run
from tests.support.times import MINUTE, NOON

NAME = "system.webhook"


@pytest.fixture
def endpoint(db: None) -> Endpoint:
    return make_endpoint(name="told")


def told() -> list[dict[str, Any]]:
    """What the webhooks so far are to tell, oldest first."""
    runs = JobRun.objects.filter(job__name=NAME).order_by("scheduled_for")
    return [run.payload["kwargs"] for run in runs]


def end(key: RunKey, status: str = "dead", token: int = 1) -> None:
    """End a run, past every guard but the table's own."""
    set_run(key, "status = %s, token = %s, finished_at = clock_timestamp()", status, token)


@pytest.mark.parametrize("status", sorted(TERMINAL))
def test_an_end_of_whatever_kind_is_told_once(term: Term, endpoint: Endpoint, status: str) -> None:
    key = make_run(status=status, token=3, webhook_id=endpoint.pk)
    assert announce(term) == 1
    assert announce(term) == 0
    assert told() == [{"run": str(key), "end": 3, "endpoint": endpoint.pk}]
    assert get_run(key).fanned_out_at is not None


def test_what_goes_on_and_what_nobody_asked_for_is_not_told(term: Term, endpoint: Endpoint) -> None:
    for status in ("queued", "running"):
        make_run(status=status, webhook_id=endpoint.pk)
    make_run(status="succeeded")
    assert announce(term) == 0
    assert not Job.objects.filter(name=NAME).exists()


def test_the_webhook_s_run_is_queued_by_the_built_in_job_and_announces_nothing_itself(
    term: Term, endpoint: Endpoint
) -> None:
    key = make_run(status="dead", webhook_id=endpoint.pk)
    announce(term)
    run = JobRun.objects.select_related("job").get(job__name=NAME)
    assert (run.status, run.trigger, run.queue, run.webhook_id) == ("queued", Trigger.DEPENDENCY, "jobs.default", None)
    assert (run.max_attempts, run.job.task, run.job.source) == (15, "jobs.webhook", "system")
    assert run.scheduled_for.microsecond
    end(run.key)
    assert announce(term) == 0
    assert [item["run"] for item in told()] == [str(key)]


def test_a_replay_takes_the_mark_away_and_the_next_end_is_told_too(term: Term, endpoint: Endpoint) -> None:
    key = make_run(status="dead", token=1, webhook_id=endpoint.pk)
    announce(term)
    replay(key)
    assert get_run(key).fanned_out_at is None
    assert announce(term) == 0
    cancel(key)
    announce(term)
    assert [(item["run"], item["end"]) for item in told()] == [(str(key), 1), (str(key), 2)]


def test_many_ends_at_once_get_a_run_each_in_batches(
    term: Term, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jobs.services.announce.BATCH", 4)
    keys = {str(make_run(status="succeeded", webhook_id=endpoint.pk)) for _ in range(9)}
    assert [announce(term) for _ in range(4)] == [4, 4, 1, 0]
    assert sorted(item["run"] for item in told()) == sorted(keys)


def test_an_instant_that_is_taken_costs_no_webhook(
    term: Term, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_run(status="succeeded", webhook_id=endpoint.pk)
    announce(term)
    taken = JobRun.objects.get(job__name=NAME).scheduled_for
    keys = {str(make_run(status="succeeded", webhook_id=endpoint.pk)) for _ in range(2)}
    monkeypatch.setattr("jobs.services.announce.database_now", lambda: taken)
    assert announce(term) == 2
    assert {item["run"] for item in told()} > keys


def test_an_old_run_is_found_when_all_partitions_are_looked_at(term: Term, endpoint: Endpoint) -> None:
    job = make_job(kind="manual")
    sql(
        "INSERT INTO jobs_jobrun (job_id, scheduled_for, due_at, run_after, queue, status, finished_at, webhook_id)"
        " VALUES (%s, %s, now(), now(), 'jobs.default', 'dead', now(), %s)",
        job.pk,
        NOON,
        endpoint.pk,
    )
    assert announce(term) == 0
    assert announce(term, everywhere=True) == 1


def test_a_leader_whose_term_is_over_announces_nothing(term: Term, endpoint: Endpoint) -> None:
    key = make_run(status="dead", webhook_id=endpoint.pk)
    sql("UPDATE jobs_leader SET term = term + 1")
    with pytest.raises(LeadershipLostError):
        announce(term)
    assert get_run(key).fanned_out_at is None


@pytest.mark.parametrize("policy", ["allow", "forbid", "replace"])
def test_scheduled_runs_carry_the_job_s_webhook_also_those_that_are_turned_away(
    term: Term, endpoint: Endpoint, policy: str
) -> None:
    job = job_at(NOON, webhook=endpoint, concurrency_policy=policy, catch_up="all")
    emit(term, NOON + 2 * MINUTE)
    assert set(JobRun.objects.filter(job=job).values_list("webhook_id", flat=True)) == {endpoint.pk}
    ends = JobRun.objects.filter(job=job, finished_at__isnull=False).count()
    assert ends == (0 if policy == "allow" else 1)
    assert announce(term, everywhere=True) == ends


def test_a_run_by_hand_is_told_where_it_says_else_where_its_job_says(term: Term, endpoint: Endpoint) -> None:
    other = make_endpoint(name="other")
    job = make_job(kind="manual", webhook=endpoint)
    runs = [run_job(job), run_job(job, webhook=other), run_job(make_job(kind="manual"), webhook=other)]
    assert [get_run(key).webhook_id for key in runs] == [endpoint.pk, other.pk, other.pk]


def test_runs_made_before_a_change_of_the_job_keep_their_webhook(db: None, endpoint: Endpoint) -> None:
    job = make_job(kind="manual", webhook=endpoint)
    before = run_job(job)
    job.webhook = None
    job.save()
    assert [get_run(key).webhook_id for key in (before, run_job(job))] == [endpoint.pk, None]


def webhook_job(term: Term, endpoint: Endpoint) -> Job:
    make_run(status="dead", webhook_id=endpoint.pk)
    announce(term)
    return Job.objects.get(name=NAME)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "renamed"),
        ("task", "tests.noop"),
        ("kind", "cron"),
        ("enabled", False),
        ("concurrency_policy", "forbid"),
        ("webhook", "self"),
        ("team", "a team"),
        ("args", [1]),
        ("kwargs", {"run": 1}),
        ("parameters_schema", {"not": {}}),
        ("delivery", "at_most_once"),
    ],
)
def test_the_built_in_job_cannot_be_edited_away(term: Term, endpoint: Endpoint, field: str, value: Any) -> None:
    job = webhook_job(term, endpoint)
    others = {"self": endpoint, "a team": Group.objects.create(name="billing")}
    setattr(job, field, others.get(value, value) if isinstance(value, str) else value)
    if field == "kind":
        job.cron = "* * * * *"
    with pytest.raises(ValidationError, match=r"built in|webhooks themselves") as refused:
        job.save()
    assert field in refused.value.message_dict


def test_the_built_in_job_cannot_be_archived_and_its_retries_can_be_changed(term: Term, endpoint: Endpoint) -> None:
    job = webhook_job(term, endpoint)
    with pytest.raises(ConflictError, match="is built in and cannot be archived"):
        archive(job)
    job.max_attempts, job.queue, job.priority = 3, "jobs.fast", 9
    job.save()
    make_run(status="dead", webhook_id=endpoint.pk)
    announce(term)
    newest = JobRun.objects.filter(job=job).order_by("-scheduled_for")[0]
    assert (newest.max_attempts, newest.queue, newest.priority) == (3, "jobs.fast", 9)


def test_the_built_in_job_is_not_run_by_hand(term: Term, endpoint: Endpoint) -> None:
    with pytest.raises(ConflictError, match="not by hand"):
        run_job(webhook_job(term, endpoint))


def test_no_other_job_can_have_the_platforms_task(db: None) -> None:
    with pytest.raises(ValidationError, match="the platform's own task"):
        make_job(name="mine", kind="manual", task="jobs.webhook")


def test_a_job_of_one_s_own_cannot_take_the_built_in_name(db: None) -> None:
    with pytest.raises(ValidationError, match=r"its task is jobs\.webhook"):
        make_job(name=NAME, kind="manual")


def test_an_endpoint_that_is_not_there_cannot_be_told(db: None) -> None:
    with pytest.raises(ValidationError, match="There is no endpoint 4711"):
        make_job(kind="manual", webhook_id=4711)


@pytest.mark.django_db(transaction=True)
def test_an_end_that_someone_else_holds_is_passed_by_and_told_later(term: Term) -> None:
    endpoint = make_endpoint()
    held = make_run(status="dead", webhook_id=endpoint.pk)
    free = make_run(status="succeeded", webhook_id=endpoint.pk)
    with Elsewhere() as there:
        there.do(sql, "BEGIN")
        there.do(set_run, held, "priority = 1")
        assert announce(term) == 1
        there.do(sql, "COMMIT")
        assert announce(term) == 1
    assert [item["run"] for item in told()] == [str(free), str(held)]
    assert RunStatus(get_run(held).status).is_terminal
