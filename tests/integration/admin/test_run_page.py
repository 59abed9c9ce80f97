"""A run's page and its buttons."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from jobs.domain.states import RunStatus
from jobs.models import JobRun
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
        (RunStatus.DEAD, ["Retry"]),
        (RunStatus.SUCCEEDED, []),
        (RunStatus.MISSED, []),
    ],
)
def test_the_buttons_fit_the_status(admin_client: Client, status: RunStatus, expected: list[str]) -> None:
    assert labels(admin_client, make_run(make_job(), status)) == expected


def test_retry_queues_a_dead_run_again(admin_client: Client) -> None:
    run = make_run(make_job(), RunStatus.DEAD)
    admin_client.post(page(run, "retry"))
    assert get_run(run.key).status == RunStatus.QUEUED


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
    assert viewer.post(page(run, "retry")).status_code == 403
    assert viewer.get(page(run, "retry")).status_code == 405
    assert get_run(run.key).status == RunStatus.DEAD
