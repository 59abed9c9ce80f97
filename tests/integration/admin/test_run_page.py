"""A run's page and its buttons."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from jobs.domain.states import RunStatus
from jobs.models import Endpoint, JobRun
from jobs.store.clock import database_now
from tests.support.factories import make_job
from tests.support.job_history import get_run, make_run

FAULT = {"attempt": 1, "kind": "failed", "type": "ValueError", "message": "<b>", "traceback": "Traceback <i>"}


def page(run: JobRun, verb: str = "change") -> str:
    return f"/admin/jobs/jobrun/{run.key}/{verb}/"


def labels(client: Client, run: JobRun) -> list[str]:
    return [button.label for button in client.get(page(run)).context["buttons"]]


def test_is_found_by_run_key_and_by_id(admin_client: Client) -> None:
    run = make_run(make_job())

    for address in (page(run), f"/admin/jobs/jobrun/{run.pk}/change/"):
        assert str(run.key) in admin_client.get(address).content.decode()
    for wrong in ("1-2", "x", "99999999999999999999-1", f"1-{10**19}"):
        assert (
            admin_client.get(f"/admin/jobs/jobrun/{wrong}/change/").status_code == 302
        )  # to the index, as Django does


def test_everything_from_team_code_is_escaped(admin_client: Client) -> None:
    evil = "<script>alert(1)</script>"
    run = make_run(
        make_job(),
        RunStatus.DEAD,
        errors=[FAULT, {"attempt": 2, "at": "nonsense"}, "not an object"],
        last_error=evil,
        log=evil,
        result={"a": evil},
        progress=evil,
        payload={"args": [evil]},
    )
    content = admin_client.get(page(run)).content.decode()

    assert evil not in content
    assert "Traceback &lt;i&gt;" in content
    assert content.count("&lt;script&gt;alert(1)&lt;/script&gt;") == 4
    assert evil not in admin_client.get("/admin/jobs/jobrun/").content.decode()


def test_an_error_without_an_attempt_is_shown(admin_client: Client) -> None:
    run = make_run(make_job(), RunStatus.MISSED, last_error="Its start deadline had passed.")
    assert b"Its start deadline had passed." in admin_client.get(page(run)).content


def test_an_entry_that_is_of_no_attempt_has_no_number_and_hides_none(admin_client: Client) -> None:
    lost = {"kind": "lost", "type": "LeaseLost", "message": "No start of attempt 1 had been noted."}
    run = make_run(make_job(), RunStatus.SUCCEEDED, attempts=1, errors=[lost])
    rows = admin_client.get(page(run)).context["page"]["attempts"]
    assert [(row.number, row.words) for row in rows] == [("", "lost"), ("1", "succeeded")]


@pytest.mark.parametrize(
    ("attempts", "started", "number"),
    [(0, None, "1"), (1, -60, "2"), (1, 5, "1")],
    ids=["first, start not written", "second, start not written", "start written"],
)
def test_the_attempt_that_runs_has_its_own_number_and_start(
    admin_client: Client, attempts: int, started: int | None, number: str
) -> None:
    sent = database_now() - timedelta(seconds=30)
    start = None if started is None else sent + timedelta(seconds=started)
    run = make_run(make_job(), RunStatus.RUNNING, attempts=attempts, dispatched_at=sent, started_at=start)
    (row,) = admin_client.get(page(run)).context["page"]["attempts"]
    assert (row.number, row.words, bool(row.started)) == (number, "running", started == 5)


def test_cannot_be_edited_added_or_deleted(admin_client: Client) -> None:
    run = make_run(make_job())

    assert b'name="_save"' not in admin_client.get(page(run)).content
    assert admin_client.post(page(run), {"status": "dead"}).status_code == 403
    assert admin_client.post(page(run, "delete"), {"post": "yes"}).status_code == 403
    assert admin_client.get("/admin/jobs/jobrun/add/").status_code == 403
    assert get_run(run.key).status == RunStatus.QUEUED


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (RunStatus.QUEUED, ["Cancel"]),
        (RunStatus.RUNNING, ["Cancel"]),
        (RunStatus.DEAD, ["Replay"]),
        (RunStatus.SUCCEEDED, []),
        (RunStatus.MISSED, []),
    ],
)
def test_the_buttons_fit_the_status(admin_client: Client, status: RunStatus, expected: list[str]) -> None:
    assert labels(admin_client, make_run(make_job(), status)) == expected


def test_replay_queues_a_dead_run_again_and_notes_by_whom(admin_client: Client) -> None:
    run = make_run(make_job(), RunStatus.DEAD)
    admin_client.post(page(run, "replay"))
    replayed = get_run(run.key)
    assert replayed.status == RunStatus.QUEUED
    assert (replayed.errors[-1]["kind"], replayed.errors[-1]["by"]) == ("replayed", "admin")


def test_cancel_ends_a_queued_run_and_asks_a_running_one(admin_client: Client) -> None:
    queued, running = make_run(make_job()), make_run(make_job(), RunStatus.RUNNING)
    for run in (queued, running):
        admin_client.post(page(run, "cancel"))

    assert get_run(queued.key).status == RunStatus.CANCELLED
    assert get_run(running.key).cancel_requested_at is not None
    assert labels(admin_client, running) == []


def test_a_refusal_of_a_service_is_shown(admin_client: Client) -> None:
    run = make_run(make_job(), RunStatus.SUCCEEDED)
    response = admin_client.post(page(run, "cancel"), follow=True)
    assert "cannot be cancelled" in " ".join(map(str, response.context["messages"]))


def test_a_viewer_has_no_buttons_and_cannot_post(member: Any) -> None:
    viewer = member("view_jobrun")
    run = make_run(make_job(), RunStatus.DEAD)

    assert labels(viewer, run) == []
    assert viewer.post(page(run, "replay")).status_code == 403
    assert viewer.get(page(run, "replay")).status_code == 405
    assert get_run(run.key).status == RunStatus.DEAD


def content(client: Client, run: JobRun) -> str:
    return client.get(page(run)).content.decode()


def test_says_what_happens_next(admin_client: Client) -> None:
    now, job = database_now(), make_job(timezone="Asia/Kolkata")
    soon = now + timedelta(hours=2)
    cases = [
        (make_run(job, attempts=1, run_after=soon), "Attempt 2 of 5 starts"),
        (make_run(job, run_after=soon), "It starts"),
        (make_run(job, dispatched_at=now), "It was sent to queue jobs.default"),
        (make_run(job), "It is due and will be sent to queue jobs.default next."),
        (make_run(job, start_by=soon), "It is missed if it has not started by"),
        (make_run(job, RunStatus.RUNNING), "holds it until"),
        (make_run(job, RunStatus.RUNNING, locked_until=now - timedelta(seconds=9)), "Its lease ran out"),
        (make_run(job, RunStatus.RUNNING, cancel_requested_at=now), "It was asked to end"),
        (make_run(job, RunStatus.DEAD), "Replay queues it again under the same key"),
        (make_run(job, RunStatus.MISSED), "it could not start in time"),
    ]
    for run, said in cases:
        assert said in content(admin_client, run), said
    assert "+05:30 (in " in content(admin_client, cases[0][0])


def test_attempts_are_a_timeline_oldest_first(admin_client: Client) -> None:
    now = database_now()
    at = (now - timedelta(minutes=1)).isoformat()
    errors = [{**FAULT, "at": at}, {**FAULT, "attempt": 2, "kind": "timed_out", "at": at, "message": "ended after 9 s"}]
    run = make_run(
        make_job(),
        RunStatus.SUCCEEDED,
        attempts=3,
        errors=errors,
        started_at=now - timedelta(seconds=4),
        finished_at=now,
    )
    rows = admin_client.get(page(run)).context["page"]["attempts"]

    assert [(row.number, row.mark, row.words) for row in rows] == [
        ("1", "dead", "failed"),
        ("2", "dead", "timed out"),
        ("3", "succeeded", "succeeded"),
    ]
    assert rows[2].took == "4.0 s"
    assert content(admin_client, run).count("<details open>") == 1


def test_a_replay_stands_among_the_attempts_without_a_number(admin_client: Client) -> None:
    replay = {"kind": "replayed", "at": database_now().isoformat(), "by": "ada"}
    run = make_run(make_job(), attempts=1, errors=[FAULT, replay])
    rows = admin_client.get(page(run)).context["page"]["attempts"]

    assert [(row.number, row.mark, row.words) for row in rows[:2]] == [
        ("1", "dead", "failed"),
        ("", "queued", "replayed by ada"),
    ]
    assert content(admin_client, run).count("<strong>Attempt") == 1


def test_a_run_that_waits_for_its_next_attempt_shows_when_it_comes(admin_client: Client) -> None:
    run = make_run(make_job(), attempts=1, errors=[FAULT], run_after=database_now() + timedelta(hours=2))
    last = admin_client.get(page(run)).context["page"]["attempts"][-1]

    assert (last.number, last.mark) == ("2", "queued")
    assert last.words.startswith("starts in ")


def test_the_answer_of_an_endpoint_is_shown_with_status_time_and_address(admin_client: Client) -> None:
    Endpoint(name="hooks", url="https://hooks.example.org/run").save()
    job = make_job(task="", endpoint=Endpoint.objects.get())
    kept = {"status": 503, "seconds": 0.0512, "address": "203.0.113.7", "content_type": "application/json"}
    kept["location"] = "https://b.example/"
    run = make_run(job, RunStatus.DEAD, result={**kept, "answer": '{"error": "<busy>"}', "cut": True})
    shown = content(admin_client, run)

    for words in ("HTTP 503", "0.051 s", "203.0.113.7", "POST hooks", "The answer was longer", "https://b.example/"):
        assert words in shown
    assert "&quot;error&quot;: &quot;&lt;busy&gt;&quot;" in shown


def test_leads_to_the_runs_before_and_after(admin_client: Client) -> None:
    job = make_job()
    first, second, third = make_run(job), make_run(job), make_run(job)
    make_run(make_job())
    shown = admin_client.get(page(second)).context["page"]

    assert (shown["before"], shown["after"]) == (page(first), page(third))
    assert "before" not in admin_client.get(page(first)).context["page"]


def test_costs_the_same_however_many_runs_there_are(admin_client: Client) -> None:
    job = make_job()
    run = make_run(job, RunStatus.DEAD, errors=[FAULT] * 20)
    content(admin_client, run)
    for _ in range(20):
        make_run(job)
    with CaptureQueriesContext(connection) as queries:
        content(admin_client, run)
    assert len(queries) <= 8
