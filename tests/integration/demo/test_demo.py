"""The demo's tasks and the command that lays them out."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import Client

from jobs.domain.messages import RunKey
from jobs.models import Job
from jobs.services.archive import archive
from jobs.store.clock import database_now
from jobs.worker.current import CurrentRun, working_for
from scheduler_project.demo import tasks
from scheduler_project.demo.models import Report

pytestmark = pytest.mark.django_db
NAMES = ["demo.always-dies", "demo.fails-twice", "demo.machine-report"]


def lay_out() -> str:
    out = StringIO()
    call_command("beatkeeper_demo", stdout=out)
    return out.getvalue()


def state() -> list[tuple[object, ...]]:
    return [*Job.objects.order_by("pk").values_list(), *get_user_model().objects.values_list()]


def test_the_command_makes_three_minutely_jobs_and_the_admin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BEATKEEPER_ADMIN_PASSWORD", "correct horse")
    lay_out()
    made = Job.objects.order_by("name")
    assert [job.name for job in made] == NAMES
    assert {(job.source, job.cron, job.enabled) for job in made} == {("demo", "* * * * *", True)}
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
    assert Job.objects.living().count() == 2
    assert not Job.objects.get(name="demo.fails-twice").enabled


def test_without_a_password_no_admin_is_made_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BEATKEEPER_ADMIN_PASSWORD", raising=False)
    assert 'No user "admin" was made: BEATKEEPER_ADMIN_PASSWORD holds no password.' in lay_out()
    assert not get_user_model().objects.exists()


def test_every_demo_task_is_known_to_celery() -> None:
    from jobs.broker.tasks import task_defaults

    lay_out()
    assert all(task_defaults(job.task).is_known for job in Job.objects.all())


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


def test_reports_are_read_in_the_admin_and_not_changed(admin_client: Client, settings: Any, tmp_path: Path) -> None:
    settings.STATIC_ROOT = str(tmp_path)  # WhiteNoise wants its folder
    report = Report.objects.create(run_key="1-1", data={"load": 1})
    assert admin_client.get("/admin/demo/report/").status_code == 200
    page = admin_client.get(f"/admin/demo/report/{report.pk}/change/")
    assert page.status_code == 200
    assert admin_client.post(f"/admin/demo/report/{report.pk}/change/", {}).status_code == 403
    assert admin_client.get("/admin/demo/report/add/").status_code == 403
