"""Idempotency keys: one effect, one answer."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import Group

from jobs.models import IdempotencyKey, Job, JobRun
from jobs.store.clock import database_now
from tests.support.api import ApiClient, answer, client, problem
from tests.support.factories import make_job


def test_the_same_request_has_one_effect_and_one_answer(api: ApiClient) -> None:
    make_job(name="nightly")
    first, second = (api.post("/jobs/nightly:run", {"kwargs": {"a": 1}}, key="k1") for _ in range(2))
    assert answer(second, 202) == answer(first, 202)
    assert (second["Location"], second["Retry-After"]) == (first["Location"], first["Retry-After"])
    assert JobRun.objects.count() == 1


def test_the_first_answer_stays_though_the_run_goes_on(api: ApiClient) -> None:
    make_job(name="nightly")
    first = answer(api.post("/jobs/nightly:run", key="k1"), 202)
    JobRun.objects.update(status="succeeded", finished_at=database_now())
    assert answer(api.post("/jobs/nightly:run", key="k1"), 202) == first


@pytest.mark.parametrize("other", [{"kwargs": {"a": 2}}, None, {"kwargs": {"a": 1}, "force": True}])
def test_a_key_with_another_body_is_refused(api: ApiClient, other: object) -> None:
    make_job(name="nightly")
    answer(api.post("/jobs/nightly:run", {"kwargs": {"a": 1}}, key="k1"), 202)
    problem(api.post("/jobs/nightly:run", other, key="k1"), 422)
    assert JobRun.objects.count() == 1


def test_a_key_with_another_path_is_refused(api: ApiClient) -> None:
    make_job(name="a")
    make_job(name="b")
    answer(api.post("/jobs/a:run", key="k1"), 202)
    problem(api.post("/jobs/b:run", key="k1"), 422)
    assert [run.job.name for run in JobRun.objects.all()] == ["a"]


def test_a_key_is_its_tokens_own(api: ApiClient) -> None:
    make_job(name="nightly")
    answer(api.post("/jobs/nightly:run", key="k1"), 202)
    answer(client().post("/jobs/nightly:run", key="k1"), 202)
    assert JobRun.objects.count() == 2


def test_a_refused_request_keeps_no_key(api: ApiClient) -> None:
    problem(api.post("/jobs/nightly:run", key="k1"), 404)
    assert not IdempotencyKey.objects.exists()
    make_job(name="nightly")
    answer(api.post("/jobs/nightly:run", key="k1"), 202)


def test_a_key_is_free_again_after_a_day(api: ApiClient) -> None:
    make_job(name="nightly")
    first = answer(api.post("/jobs/nightly:run", key="k1"), 202)
    IdempotencyKey.objects.update(created_at=database_now() - timedelta(hours=25))
    assert answer(api.post("/jobs/nightly:run", key="k1"), 202) != first
    assert IdempotencyKey.objects.count() == 1


@pytest.mark.parametrize("key", ["", "ä", "a b", "x" * 256])
def test_a_key_that_cannot_be_is_refused(api: ApiClient, key: str) -> None:
    make_job(name="nightly")
    problem(api.post("/jobs/nightly:run", key=key), 400)
    assert not JobRun.objects.exists()


@pytest.fixture
def team(db: None) -> Group:
    return Group.objects.create(name="billing")


def dead_run(name: str) -> str:
    """The key of the job's one run, which is dead now."""
    run = JobRun.objects.get(job__name=name)
    JobRun.objects.filter(pk=run.pk).update(status="dead", finished_at=database_now(), last_error="boom")
    return str(run.key)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/jobs", {"name": "new", "kind": "manual", "task": "tests.noop"}),
        ("/jobs/nightly:run", None),
        ("/jobs/nightly:pause", None),
        ("/jobs/paused:resume", None),
        ("/runs/KEY:cancel", None),
        ("/runs/DEAD:retry", None),
        ("/operations/op_KEY:cancel", None),
        ("/dead-letters:replay", {"group": "0123456789ab", "job": "nightly"}),
    ],
)
def test_a_kept_answer_is_for_who_still_reaches_its_job(team: Group, path: str, body: object) -> None:
    api = client(team=team)
    for name in ("nightly", "dead"):
        make_job(name=name, team=team)
    make_job(name="paused", team=team, paused=True)
    key = answer(api.post("/jobs/nightly:run"), 202)["metadata"]["run"]
    answer(api.post("/jobs/dead:run"), 202)
    path = path.replace("KEY", key).replace("DEAD", dead_run("dead"))
    first = api.post(path, body, key="k1")
    assert first.status_code < 300
    assert api.post(path, body, key="k1").json() == first.json()
    Job.objects.update(team=Group.objects.create(name="web"))
    assert "does not reach it" in problem(api.post(path, body, key="k1"), 404)["detail"]
    Job.objects.update(team=team)
    assert api.post(path, body, key="k1").json() == first.json()


def test_a_kept_answer_outlives_the_archiving_of_its_job(team: Group) -> None:
    make_job(name="nightly", team=team)
    api = client(team=team)
    first = answer(api.post("/jobs/nightly:run", key="k1"), 202)
    assert api.delete("/jobs/nightly").status_code == 204
    assert answer(api.post("/jobs/nightly:run", key="k1"), 202) == first
    make_job(name="nightly", team=Group.objects.create(name="web"))
    problem(api.post("/jobs/nightly:run", key="k1"), 404)


def test_every_post_takes_a_key(api: ApiClient) -> None:
    body = {"name": "nightly", "kind": "cron", "cron": "0 2 * * *", "task": "tests.noop"}
    assert answer(api.post("/jobs", body, key="make"), 201) == answer(api.post("/jobs", body, key="make"), 201)
    assert answer(api.post("/jobs/nightly:pause", key="p"))["paused"] is True
    assert answer(api.post("/jobs/nightly:resume", key="r")) == answer(api.post("/jobs/nightly:resume", key="r"))
