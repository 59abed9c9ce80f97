"""Runs, and the operations that stand for them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import Group

from jobs.domain.messages import RunKey
from jobs.models import JobRun
from jobs.store.clock import database_now
from tests.support.api import ApiClient, answer, client, problem
from tests.support.factories import make_job


def started(api: ApiClient, name: str = "nightly", **body: object) -> str:
    response = api.post(f"/jobs/{name}:run", body)
    document = answer(response, 202)
    assert response["Location"] == f"/v1/operations/{document['name']}"
    assert int(response["Retry-After"]) >= 1
    return str(document["name"])


def end(operation: str, status: str = "succeeded", **fields: object) -> None:
    key = RunKey.parse(operation.removeprefix("op_"))
    JobRun.objects.filter(job_id=key.job_id, scheduled_for=key.scheduled_for).update(
        status=status, finished_at=database_now(), **fields
    )


def test_a_run_is_an_operation_that_ends_with_its_result(api: ApiClient) -> None:
    make_job(name="nightly")
    name = started(api)
    open_ = answer(api.get(f"/operations/{name}"))
    assert (open_["done"], open_["metadata"]["status"], "response" in open_) == (False, "queued", False)
    assert open_["metadata"]["trigger"] == "api"
    end(name, result={"rows": 3})
    done = answer(api.get(f"/operations/{name}:wait?timeout=0"))
    assert (done["done"], done["response"]["result"]) == (True, {"rows": 3})


@pytest.mark.parametrize("status", ["dead", "cancelled", "missed"])
def test_an_operation_that_did_not_succeed_says_why(api: ApiClient, status: str) -> None:
    make_job(name="nightly")
    name = started(api)
    end(name, status, last_error="no luck")
    done = answer(api.get(f"/operations/{name}"))
    assert (done["done"], done["error"]) == (True, {"code": status, "message": "no luck"})


def test_a_wait_ends_when_its_time_is_over(api: ApiClient) -> None:
    make_job(name="nightly")
    name = started(api)
    assert answer(api.get(f"/operations/{name}:wait?timeout=0.2"))["done"] is False
    problem(api.get(f"/operations/{name}:wait?timeout=61"), 400)


def test_a_run_brings_its_own_arguments(api: ApiClient) -> None:
    make_job(name="nightly", kwargs={"a": 1})
    started(api, kwargs={"a": 2})
    assert JobRun.objects.get().payload == {"kwargs": {"a": 2}}
    problem(api.post("/jobs/nightly:run", {"body": 1}), 400)


def test_a_run_by_hand_fits_the_jobs_schema(api: ApiClient) -> None:
    schema = {"type": "object", "required": ["month"], "properties": {"month": {"type": "string", "format": "date"}}}
    make_job(name="nightly", parameters_schema=schema, kwargs={"month": "2030-01-01"})
    for kwargs in ({}, {"month": "soon"}):
        document = problem(api.post("/jobs/nightly:run", {"kwargs": kwargs}), 400)
        assert document["errors"][0]["field"].startswith("kwargs")
    started(api, kwargs={"month": "2030-02-01"})
    started(api)


def test_the_jobs_own_arguments_must_fit_too_when_a_run_brings_none(api: ApiClient) -> None:
    make_job(name="nightly", parameters_schema={"type": "object", "required": ["month"]})
    for body in (None, {}, {"kwargs": {}}, {"args": [1]}):
        problem(api.post("/jobs/nightly:run", body), 400)
    assert not JobRun.objects.exists()


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"pattern": "^(a+)+$"}}},
        {"patternProperties": {"^(a+)+$": {}}},
        {"anyOf": [{"type": "string"}, {"items": {"uniqueItems": True}}]},
        {"$defs": {"a": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/a"}}},
        {"$ref": "http://127.0.0.1:1/schema"},
        {"if": {"not": {"$dynamicRef": "#a"}}},
    ],
)
def test_a_schema_that_could_keep_a_server_busy_is_refused(api: ApiClient, schema: dict[str, object]) -> None:
    body = {"name": "nightly", "kind": "manual", "task": "tests.noop", "parameters_schema": schema}
    assert "for ever" in problem(api.post("/jobs", body), 400)["detail"]


def test_names_and_values_in_a_schema_are_free(api: ApiClient) -> None:
    schema = {"properties": {"pattern": {"enum": ["$ref"]}, "uniqueItems": {"const": {"pattern": 1}}}}
    body = {"name": "nightly", "kind": "manual", "task": "tests.noop", "parameters_schema": schema}
    answer(api.post("/jobs", body), 201)
    problem(api.post("/jobs/nightly:run", {"kwargs": {"pattern": "x"}}), 400)
    started(api, kwargs={"pattern": "$ref"})
    assert JobRun.objects.get().payload == {"kwargs": {"pattern": "$ref"}}


def test_a_delayed_run_waits_in_the_database(api: ApiClient) -> None:
    make_job(name="nightly")
    name = started(api, delay_seconds=60)
    due = answer(api.get(f"/operations/{name}"))["metadata"]["due_at"]
    assert due > (database_now() + timedelta(seconds=50)).isoformat()[:19]
    at = (database_now() + timedelta(hours=1)).isoformat()
    started(api, run_at=at)
    assert JobRun.objects.count() == 2


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"delay_seconds": -1}, "delay_seconds"),
        ({"delay_seconds": 1e308}, "delay_seconds"),
        ({"delay_seconds": "5"}, "delay_seconds"),
        ({"run_at": "2020-01-01T00:00:00Z"}, "run_at"),
        ({"run_at": "2999-01-01T00:00:00Z"}, "run_at"),
        ({"run_at": "1796037745"}, "run_at"),
        ({"run_at": "2999-01-01T00:00:00Z", "delay_seconds": 5}, "run_at"),
        ({"body": 1}, "body"),
        ({"webhook": "nowhere"}, "webhook"),
    ],
)
def test_a_run_that_cannot_be_is_refused_at_the_field_that_was_sent(
    api: ApiClient, body: dict[str, object], field: str
) -> None:
    make_job(name="nightly")
    assert [fault["field"] for fault in problem(api.post("/jobs/nightly:run", body), 400)["errors"]] == [field]
    assert not JobRun.objects.exists()


def test_a_second_run_of_a_job_that_forbids_it_is_a_conflict(api: ApiClient) -> None:
    make_job(name="nightly", concurrency_policy="forbid")
    name = started(api)
    assert name.removeprefix("op_") in problem(api.post("/jobs/nightly:run"), 409)["detail"]
    started(api, force=True)


def test_an_operation_is_cancelled_once(api: ApiClient) -> None:
    make_job(name="nightly")
    name = started(api)
    assert answer(api.post(f"/operations/{name}:cancel"))["error"]["code"] == "cancelled"
    problem(api.post(f"/operations/{name}:cancel"), 409)
    problem(api.post("/operations/op_1-1:cancel"), 404)


def test_a_dead_run_is_retried_under_its_key(api: ApiClient) -> None:
    make_job(name="nightly")
    name = started(api)
    run = name.removeprefix("op_")
    problem(api.post(f"/runs/{run}:retry"), 409)
    end(name, "dead", last_error="boom", attempts=5)
    document = answer(api.post(f"/runs/{run}:retry"), 202)
    assert (document["name"], document["done"]) == (name, False)


def test_dead_runs_are_grouped_and_replayed(api: ApiClient) -> None:
    make_job(name="nightly")
    names = [started(api) for _ in range(3)]
    for name in names:
        end(name, "dead", last_error="ValueError: boom")
    (group,) = answer(api.get("/dead-letters"))["groups"]
    assert (group["runs"], group["jobs"]) == (3, 1)
    runs = answer(api.get(f"/dead-letters/{group['group']}?page_size=2"))
    assert len(runs["runs"]) == 2
    assert runs["next_page_token"]
    one = names[0].removeprefix("op_")
    assert answer(api.post("/dead-letters:replay", {"runs": [one]}))["replayed"] == 1
    assert answer(api.post("/dead-letters:replay", {"group": group["group"], "rate": 100}))["replayed"] == 2
    for body in ({}, {"group": "x"}, {"runs": []}, {"runs": [one], "group": group["group"]}):
        problem(api.post("/dead-letters:replay", body), 400)
    for key in ("x", 7, "7-9999999999999999999"):
        assert problem(api.post("/dead-letters:replay", {"runs": [one, key]}), 400)["errors"][0]["field"] == "runs.1"


def test_a_replay_says_which_runs_were_not_found_and_nobody_learns_of_others(api: ApiClient) -> None:
    team = Group.objects.create(name="billing")
    make_job(name="ours", team=team)
    make_job(name="theirs")
    ours, theirs = (started(api, name).removeprefix("op_") for name in ("ours", "theirs"))
    for run in (ours, theirs):
        end(run, "dead", last_error="boom")
    nowhere = ["987654321-1", f"{2**63}-1"]
    told = answer(client(team=team).post("/dead-letters:replay", {"runs": [theirs, *nowhere, ours, theirs]}))
    assert told["replayed"] == 1
    assert told["refused"] == [f"There is no run {key}, or this token does not reach it." for key in (theirs, *nowhere)]
    assert set(JobRun.objects.values_list("job__name", "status")) == {("ours", "queued"), ("theirs", "dead")}
    told = answer(api.post("/dead-letters:replay", {"runs": [theirs, *nowhere]}))
    assert (told["replayed"], len(told["refused"])) == (1, 2)


def test_runs_are_listed_by_what_is_asked(api: ApiClient) -> None:
    make_job(name="nightly")
    make_job(name="other")
    names = [started(api) for _ in range(3)]
    started(api, "other")
    end(names[0])
    assert len(answer(api.get("/runs"))["runs"]) == 4
    assert len(answer(api.get("/runs?status=succeeded"))["runs"]) == 1
    assert len(answer(api.get("/runs?job=other"))["runs"]) == 1
    first = answer(api.get("/jobs/nightly/runs?page_size=2"))
    second = answer(api.get(f"/jobs/nightly/runs?page_size=2&page_token={first['next_page_token']}"))
    found = [run["operation"] for run in (*first["runs"], *second["runs"])]
    assert found == names[::-1]
    assert answer(api.get(f"/runs/{names[0].removeprefix('op_')}"))["status"] == "succeeded"
    problem(api.get("/runs?status=fine"), 400)
    for query in ("runs?since=yesterday", "runs?until=1796037745", "jobs/nightly:preview?after=1796037745"):
        (fault,) = problem(api.get(f"/{query}"), 400)["errors"]
        assert fault["field"] == f"query.{query.partition('?')[2].partition('=')[0]}"
        assert "RFC 3339" in fault["message"]
