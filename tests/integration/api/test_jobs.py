"""``/v1/jobs``: a definition over the wire is the one that the form and the model know."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import Group
from django.db import connection
from django.test.utils import CaptureQueriesContext

from jobs.models import Job
from tests.support.api import ApiClient, answer, client, problem
from tests.support.factories import make_endpoint, make_job

CRON = {"name": "nightly", "kind": "cron", "cron": "0 2 * * *", "timezone": "Europe/Berlin", "task": "tests.noop"}


def test_a_job_is_created_and_read_back(api: ApiClient) -> None:
    made = api.post("/jobs", {**CRON, "kwargs": {"n": [1, None, "ä"]}, "labels": {"tier": "gold"}})
    document = answer(made, 201)
    assert made["Location"] == "/v1/jobs/nightly"
    assert document["kwargs"] == {"n": [1, None, "ä"]}
    assert (document["schedule"], document["source"]) == ("At 02:00, Europe/Berlin", "api")
    read = api.get("/jobs/nightly")
    assert answer(read) == document
    assert read["ETag"] == made["ETag"] == document["etag"]


def test_an_http_job_names_its_endpoint(api: ApiClient) -> None:
    make_endpoint(name="hook")
    document = answer(api.post("/jobs", {"name": "call", "kind": "manual", "endpoint": "hook", "body": {"a": 1}}), 201)
    assert (document["endpoint"], document["body"], document["task"]) == ("hook", {"a": 1}, "")


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"cron": "61 * * * *"}, "cron"),
        ({"timezone": "Mars/Olympus"}, "timezone"),
        ({"name": "a:b"}, "name"),
        ({"name": "a/b%2f"}, "name"),
        ({"kind": "sometimes"}, "kind"),
        ({"priority": 10}, "priority"),
        ({"priority": "5"}, "priority"),
        ({"enabled": "yes"}, "enabled"),
        ({"queue": "jobs.nowhere"}, "queue"),
        ({"endpoint": "nowhere"}, "endpoint"),
        ({"team": "nobody"}, "team"),
        ({"start_at": "2030-01-01T00:00:00"}, "start_at"),
        ({"start_at": 1735689600}, "start_at"),
        ({"start_at": "1735689600"}, "start_at"),
        ({"start_at": "2030-01-01"}, "start_at"),
        ({"end_at": "1735689600.5"}, "end_at"),
        ({"kind": "once", "cron": "", "once_at": "1893456000"}, "once_at"),
        ({"kind": "interval", "anchor_at": "-1796037745"}, "anchor_at"),
        ({"kind": "calendar", "anchor_date": "1795996800"}, "anchor_date"),
        ({"kind": "calendar", "wall_time": "3600"}, "wall_time"),
        ({"kind": "calendar", "wall_time": "09:00+02:00"}, "wall_time"),
        ({"name": "."}, "name"),
        ({"name": ".."}, "name"),
        ({"start_at": "9999-12-31T23:59:59-12:00"}, "start_at"),
        ({"kwargs": {"x": "\x00"}}, "body"),
        ({"labels": {"a": 1}}, "labels"),
        ({"backoff_base_seconds": -1}, "backoff_base_seconds"),
        ({"starting_dead_line": 5}, "starting_dead_line"),
        ({"interval_seconds": 10**30}, "interval_seconds"),
        ({"parameters_schema": {"type": "nothing"}}, "parameters_schema"),
    ],
)
def test_what_cannot_work_is_refused_at_its_field(api: ApiClient, changed: dict[str, object], field: str) -> None:
    document = problem(api.post("/jobs", {**CRON, **changed}), 400)
    assert field in [fault["field"] for fault in document["errors"]]
    assert not Job.objects.exists()


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'"text"', b'{"name": NaN}', b'{"a": 1, "a": 2}', b"\xff\xfe", b"[" * 100_000, b"null"]
)
def test_what_is_no_json_object_is_refused(api: ApiClient, body: bytes) -> None:
    problem(api.post("/jobs", body), 400)
    assert not Job.objects.exists()


def test_another_content_type_is_refused(api: ApiClient) -> None:
    sent = api.http.post("/v1/jobs", CRON, headers={"Authorization": f"Bearer {api.token}"})
    assert "application/json" in problem(sent, 400)["detail"]


def test_a_body_over_the_limit_is_told_the_limit(api: ApiClient) -> None:
    assert "393,216" in problem(api.post("/jobs", {**CRON, "description": "x" * 400_000}), 413)["detail"]


def test_a_second_job_of_a_name_is_a_conflict(api: ApiClient) -> None:
    answer(api.post("/jobs", CRON), 201)
    document = problem(api.post("/jobs", {**CRON, "cron": "30 2 * * *"}), 409)
    assert document["type"] == "urn:beatkeeper:problem:conflict"
    assert document["errors"][0]["field"] == "name"
    assert 'A job "nightly" exists' in document["detail"]
    assert Job.objects.get().cron == CRON["cron"]


def test_a_second_job_of_a_name_that_cannot_work_either_is_told_all_that_is_wrong(api: ApiClient) -> None:
    answer(api.post("/jobs", CRON), 201)
    faults = problem(api.post("/jobs", {**CRON, "priority": 10}), 400)["errors"]
    assert {fault["field"] for fault in faults} >= {"name", "priority"}


def test_one_who_comes_second_in_a_race_for_a_name_is_told(api: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both have looked before either inserts."""
    make_job(name="nightly")
    monkeypatch.setattr(Job, "full_clean", lambda self: None)
    assert problem(api.post("/jobs", CRON), 409)["errors"][0]["field"] == "name"


def test_a_time_is_told_how_it_is_written(api: ApiClient) -> None:
    document = problem(api.post("/jobs", {**CRON, "start_at": "1796037745"}), 400)
    assert document["errors"] == [
        {
            "field": "start_at",
            "message": "'1796037745' is not a time with its offset as RFC 3339 has it, such as "
            "2030-01-31T09:00:00+00:00.",
        }
    ]


@pytest.mark.parametrize(
    "written", ["2030-01-31T09:00:00Z", "2030-01-31t11:00:00.000+02:00", "2030-01-31 09:00:00-00:00"]
)
def test_a_time_may_be_written_in_each_form_of_rfc_3339(api: ApiClient, written: str) -> None:
    assert answer(api.post("/jobs", {**CRON, "start_at": written}), 201)["start_at"] == "2030-01-31T09:00:00Z"


@pytest.mark.parametrize("wall_time", ["09:00", "09:00:00"])
def test_a_time_of_day_may_leave_its_seconds_out(api: ApiClient, wall_time: str) -> None:
    daily = {"kind": "calendar", "calendar_every": 1, "calendar_unit": "day", "anchor_date": "2030-01-31"}
    made = answer(api.post("/jobs", {"name": "daily", "task": "tests.noop", "wall_time": wall_time, **daily}), 201)
    assert (made["wall_time"], made["anchor_date"]) == ("09:00:00", "2030-01-31")


def test_a_body_in_chunks_is_refused_and_not_taken_for_none(api: ApiClient) -> None:
    make_job(name="nightly")
    for path in ("/jobs/nightly:pause", "/jobs/nightly:run", "/preview"):
        problem(api.post(path, headers={"Transfer-Encoding": "chunked", "Content-Length": ""}), 411)
    assert not Job.objects.get().paused


def test_a_patch_changes_what_it_names(api: ApiClient) -> None:
    first = answer(api.post("/jobs", {**CRON, "priority": 3}), 201)
    second = answer(api.patch("/jobs/nightly", {"cron": "30 2 * * *"}))
    assert (second["cron"], second["priority"]) == ("30 2 * * *", 3)
    assert second["version"] == first["version"] + 1


def test_a_patch_of_an_old_version_is_refused(api: ApiClient) -> None:
    tag = answer(api.post("/jobs", CRON), 201)["etag"]
    answer(api.patch("/jobs/nightly", {"priority": 1}, headers={"If-Match": tag}))
    problem(api.patch("/jobs/nightly", {"priority": 2}, headers={"If-Match": tag}), 412)
    problem(api.delete("/jobs/nightly", headers={"If-Match": tag}), 412)
    assert Job.objects.get().priority == 1


@pytest.mark.parametrize("tag", ["v1", '"1"', "nonsense", '"v1", "v2"'])
def test_an_if_match_that_is_no_tag_is_refused(api: ApiClient, tag: str) -> None:
    make_job(name="nightly")
    problem(api.patch("/jobs/nightly", {"priority": 2}, headers={"If-Match": tag}), 400)
    assert Job.objects.get().priority != 2


def test_an_archived_job_is_gone_and_its_name_free(api: ApiClient) -> None:
    answer(api.post("/jobs", CRON), 201)
    assert api.delete("/jobs/nightly").status_code == 204
    problem(api.get("/jobs/nightly"), 404)
    answer(api.post("/jobs", CRON), 201)


def test_pages_hold_every_job_once(api: ApiClient) -> None:
    names = sorted(make_job(name=f"job-{number:02}").name for number in range(7))
    seen, token = [], ""
    while True:
        page = answer(api.get(f"/jobs?{urlencode({'page_size': 3, 'page_token': token, 'fields': 'name'})}"))
        seen += [job["name"] for job in page["jobs"]]
        if not (token := page["next_page_token"]):
            break
    assert seen == names


def test_a_page_token_of_another_list_is_refused(api: ApiClient) -> None:
    for number in range(3):
        make_job(name=f"job-{number}")
    token = answer(api.get("/jobs?page_size=1"))["next_page_token"]
    problem(api.get(f"/jobs?{urlencode({'page_size': 1, 'page_token': token, 'prefix': 'job'})}"), 400)
    assert problem(api.get("/jobs?page_token=abc"), 400)["errors"][0]["field"] == "query.page_token"


@pytest.mark.parametrize("query", ["page_size=0", "page_size=1001", "page_size=x", "fields=nothing", "enabled=maybe"])
def test_a_query_that_cannot_be_is_refused(api: ApiClient, query: str) -> None:
    make_job()
    [fault] = problem(api.get(f"/jobs?{query}"), 400)["errors"]
    assert fault["field"] == f"query.{query.partition('=')[0]}"


def test_a_field_mask_gives_these_fields(api: ApiClient) -> None:
    make_job(name="nightly")
    assert answer(api.get("/jobs/nightly?fields=name,cron")) == {"name": "nightly", "cron": "* * * * *"}


def test_pause_and_resume(api: ApiClient) -> None:
    make_job(name="nightly")
    paused = answer(api.post("/jobs/nightly:pause", {"reason": "month's end"}))
    assert (paused["state"], paused["note"]) == ("paused", "month's end")
    assert answer(api.post("/jobs/nightly:resume"))["state"] == "active"
    problem(api.post("/jobs/nightly:resume"), 409)


def test_previews_are_the_engines(api: ApiClient) -> None:
    make_job(name="nightly", cron="30 2 * * *", timezone="America/New_York")
    slots = answer(api.get("/jobs/nightly:preview?after=2026-03-07T00:00:00Z&count=2"))["slots"]
    assert [slot["utc"] for slot in slots] == ["2026-03-07T07:30:00Z", "2026-03-08T07:00:00Z"]
    stateless = {"kind": "cron", "cron": "30 2 * * *", "timezone": "America/New_York", "after": "2026-03-07T00:00:00Z"}
    assert answer(api.post("/preview", {**stateless, "count": 2}))["slots"] == slots
    problem(api.post("/preview", {**stateless, "cron": "never"}), 400)


def test_a_teams_token_reaches_its_own_jobs_alone(db: None) -> None:
    team, other = Group.objects.create(name="billing"), Group.objects.create(name="web")
    make_job(name="ours", team=team)
    make_job(name="theirs", team=other)
    make_job(name="nobodys")
    api = client(team=team)
    assert [job["name"] for job in answer(api.get("/jobs"))["jobs"]] == ["ours"]
    for name in ("theirs", "nobodys"):
        problem(api.get(f"/jobs/{name}"), 404)
        problem(api.patch(f"/jobs/{name}", {"priority": 1}), 404)
        problem(api.post(f"/jobs/{name}:run"), 404)
    assert answer(api.post("/jobs", CRON), 201)["team"] == "billing"
    problem(api.post("/jobs", {**CRON, "name": "b", "team": "web"}), 403)
    problem(api.patch("/jobs/ours", {"team": None}), 403)


def test_a_list_costs_the_same_for_one_job_and_for_twenty(api: ApiClient) -> None:
    make_job()
    api.get("/jobs")
    with CaptureQueriesContext(connection) as few:
        api.get("/jobs")
    for _ in range(19):
        make_job()
    with CaptureQueriesContext(connection) as many:
        assert len(answer(api.get("/jobs"))["jobs"]) == 20
    assert len(many) == len(few)
