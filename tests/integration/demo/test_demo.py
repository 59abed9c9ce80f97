"""The demo's tasks and the command that lays them out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from celery.exceptions import Retry
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import Client

from jobs.domain.messages import RunKey
from jobs.domain.schedules import preview
from jobs.models import Endpoint, Job, JobRun
from jobs.sealing import unseal
from jobs.services.archive import archive
from jobs.store.clock import database_now
from jobs.worker.current import CurrentRun, working_for
from scheduler_project.demo import tasks
from scheduler_project.demo.models import Report
from scheduler_project.demo.stops import STOPS

pytestmark = pytest.mark.django_db
SECRET = "whsec_" + "c2VjcmV0" * 4
RECEIVER = "http://127.0.0.1:8900"
NOT_HTTP = 14


@pytest.fixture(autouse=True)
def _with_a_receiver(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    monkeypatch.setenv("BEATKEEPER_RECEIVER_URL", RECEIVER)
    monkeypatch.setenv("BEATKEEPER_DEMO_SECRET", SECRET)
    settings.BEATKEEPER = {"EGRESS_ALLOW": ["127.0.0.1/32"]}


def lay_out() -> str:
    out = StringIO()
    call_command("beatkeeper_demo", stdout=out)
    return out.getvalue()


def state() -> list[tuple[object, ...]]:
    rows = (model.objects.order_by("pk").values_list() for model in (Endpoint, Job, JobRun, get_user_model()))
    return [row for found in rows for row in found]


def test_the_command_makes_every_job_and_the_admin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BEATKEEPER_ADMIN_PASSWORD", "correct horse")
    lay_out()
    assert sorted(Job.objects.values_list("name", flat=True)) == sorted(stop.job for stop in STOPS)
    assert set(Job.objects.values_list("source", "enabled")) == {("demo", True)}
    admin = get_user_model().objects.get(username="admin")
    assert admin.check_password("correct horse")
    assert admin.is_superuser


def test_a_second_call_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BEATKEEPER_ADMIN_PASSWORD", "correct horse")
    lay_out()
    before = state()
    monkeypatch.setenv("BEATKEEPER_ADMIN_PASSWORD", "another")
    assert lay_out() == 'The user "admin" exists and stays as it is.\n'
    assert state() == before


def test_what_was_edited_or_archived_stays_so() -> None:
    lay_out()
    job = Job.objects.get(name="demo.always-dies")
    archive(job)
    Job.objects.filter(name="demo.fails-twice").update(enabled=False)
    lay_out()
    assert not Job.objects.living().filter(name="demo.always-dies").exists()
    assert not Job.objects.get(name="demo.fails-twice").enabled


def test_without_a_password_no_admin_is_made_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BEATKEEPER_ADMIN_PASSWORD", raising=False)
    assert 'No user "admin" was made: BEATKEEPER_ADMIN_PASSWORD holds no password.' in lay_out()
    assert not get_user_model().objects.exists()


def test_the_endpoints_call_the_receiver_and_sign_with_its_secret() -> None:
    lay_out()
    urls = {endpoint.name: endpoint.url for endpoint in Endpoint.objects.all()}
    assert urls == {f"demo-{path}": f"{RECEIVER}/{path}" for path in ("ok", "flaky", "slow", "gone")}
    assert {unseal(endpoint.sealed_secret) for endpoint in Endpoint.objects.all()} == {SECRET}
    assert {job.endpoint.name for job in Job.objects.exclude(endpoint=None) if job.endpoint} == set(urls)


def test_endpoints_move_with_the_receivers_port_and_stay_where_they_were_sent_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lay_out()
    Endpoint.objects.filter(name="demo-slow").update(url="http://127.0.0.1:8900/other")
    monkeypatch.setenv("BEATKEEPER_RECEIVER_URL", "http://127.0.0.1:8901")
    assert "The endpoint demo-ok now calls http://127.0.0.1:8901/ok." in lay_out()
    assert Endpoint.objects.get(name="demo-ok").url == "http://127.0.0.1:8901/ok"
    assert Endpoint.objects.get(name="demo-slow").url == "http://127.0.0.1:8900/other"


def test_without_a_receiver_there_are_no_http_jobs_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BEATKEEPER_DEMO_SECRET")
    assert "No endpoints were made: BEATKEEPER_RECEIVER_URL and BEATKEEPER_DEMO_SECRET say" in lay_out()
    assert not Endpoint.objects.exists()
    assert Job.objects.count() == NOT_HTTP


def test_two_runs_are_asked_for_when_their_jobs_are_made() -> None:
    lay_out()
    asked = JobRun.objects.order_by("run_after")
    assert [run.job.name for run in asked] == ["demo.start-deadline", "demo.delayed"]
    assert asked[1].run_after - asked[0].run_after > timedelta(seconds=80)


def test_ten_slots_of_the_zone_whose_clocks_change_show_it_whenever_one_looks() -> None:
    lay_out()
    spec = Job.objects.get(name="demo.clock-change").spec
    for month in range(1, 13):
        assert any(slot.moved for slot in preview(spec, datetime(2027, month, 15, tzinfo=UTC), 10)), month


def test_every_demo_task_is_known_to_celery() -> None:
    from jobs.broker.tasks import task_defaults

    lay_out()
    assert all(task_defaults(job.task).is_known for job in Job.objects.filter(endpoint=None))


def test_a_run_stores_one_report_however_often_it_is_executed() -> None:
    run = CurrentRun(RunKey(1, database_now()), "demo.machine-report", 1, "id")
    with working_for(run):
        summary = tasks.inspect_machine()
        tasks.inspect_machine()
    report = Report.objects.get()
    assert report.run_key == str(run.key)
    assert set(report.data) == {"disk", "load", "memory", "certificates"}
    assert summary["certificates"]["count"] == report.data["certificates"].get("count")
    assert summary["disk_used_percent"] == report.data["disk"]["used_percent"]


def test_outside_of_a_run_nothing_is_stored() -> None:
    assert tasks.inspect_machine()["load"] is not None
    assert not Report.objects.exists()


def test_the_flaky_task_succeeds_at_the_third_attempt() -> None:
    for retries in (0, 1):
        with pytest.raises(ConnectionError, match=f"Attempt {retries + 1} fails on purpose"):
            tasks.fail_twice.apply(retries=retries, throw=True)
    assert tasks.fail_twice.apply(retries=2).result == "succeeded on attempt 3"


def test_the_dying_task_always_fails() -> None:
    with pytest.raises(RuntimeError, match="always fails"):
        tasks.always_die()


def test_the_task_that_asks_for_later_goes_on_at_its_second_attempt() -> None:
    with pytest.raises(Retry):
        tasks.ask_for_later.apply(throw=True)
    assert tasks.ask_for_later.apply(retries=1).result == "went on 75 s later"


def test_the_waiting_tasks_say_what_they_did() -> None:
    assert tasks.rest(0) == "rested for 0 s"
    assert tasks.tick() == "tick"


def test_reports_are_read_in_the_admin_and_not_changed(admin_client: Client, settings: Any, tmp_path: Path) -> None:
    settings.STATIC_ROOT = str(tmp_path)  # WhiteNoise wants its folder
    report = Report.objects.create(run_key="1-1", data={"load": 1})
    assert admin_client.get("/admin/demo/report/").status_code == 200
    page = admin_client.get(f"/admin/demo/report/{report.pk}/change/")
    assert page.status_code == 200
    assert admin_client.post(f"/admin/demo/report/{report.pk}/change/", {}).status_code == 403
    assert admin_client.get("/admin/demo/report/add/").status_code == 403
