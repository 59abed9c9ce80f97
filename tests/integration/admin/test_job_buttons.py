"""Run now, pause, resume, archive: through the services, for those who may."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from jobs.domain.states import RunStatus, Trigger
from jobs.models import Job, JobRun
from jobs.store.clock import database_now
from tests.support.factories import make_job
from tests.support.job_history import make_run


def page(job: Job, verb: str = "change") -> str:
    return f"/admin/jobs/job/{job.pk}/{verb}/"


def said(response: Any) -> str:
    return " ".join(str(message) for message in response.context["messages"])


def labels(client: Client, address: str) -> list[str]:
    return [button.label for button in client.get(address).context["buttons"]]


def test_run_now_makes_a_manual_run_and_says_its_key(admin_client: Client) -> None:
    job = make_job()
    response = admin_client.post(page(job, "run"), follow=True)

    run = JobRun.objects.get(job=job)
    assert (run.trigger, run.status) == (Trigger.MANUAL, RunStatus.QUEUED)
    assert f"Run {run.key} is queued." in said(response)
    assert LogEntry.objects.get().object_id == str(job.pk)


def test_a_job_that_forbids_a_second_run_asks_before_it_is_forced(admin_client: Client) -> None:
    job = make_job(concurrency_policy="forbid")
    active = make_run(job)

    asked = admin_client.post(page(job, "run"))
    assert str(active.key) in asked.content.decode()
    assert JobRun.objects.count() == 1
    assert "is queued" in said(admin_client.post(page(job, "run"), {"force": "1"}, follow=True))
    assert JobRun.objects.count() == 2


def test_pause_takes_an_end_in_the_jobs_zone_and_a_reason(admin_client: Client) -> None:
    job = make_job(timezone="Asia/Kolkata")
    admin_client.post(page(job, "pause"), {"until": "2099-01-01 05:30", "reason": "moving house"})

    job.refresh_from_db()
    assert job.paused
    assert job.paused_until is not None
    assert job.paused_until.isoformat() == "2099-01-01T00:00:00+00:00"
    assert job.pause_reason == "moving house"
    assert "moving house" in admin_client.get(page(job)).content.decode()


@pytest.mark.parametrize("until", ["2020-01-01 00:00", "whenever"])
def test_a_pause_cannot_end_in_the_past_or_never_be_read(admin_client: Client, until: str) -> None:
    job = make_job()
    response = admin_client.post(page(job, "pause"), {"until": until})

    assert until in response.content.decode()
    assert response.context["question"].form.errors["until"]
    job.refresh_from_db()
    assert not job.paused


def test_resume_ends_a_pause(admin_client: Client) -> None:
    job = make_job(paused=True)
    admin_client.post(page(job, "resume"))

    job.refresh_from_db()
    assert not job.paused


def test_a_refusal_of_a_service_is_shown(admin_client: Client) -> None:
    job = make_job()
    assert "not paused" in said(admin_client.post(page(job, "resume"), follow=True))


def test_archive_asks_first_and_keeps_the_row(admin_client: Client) -> None:
    job = make_job()
    assert b"history is kept" in admin_client.get(page(job, "archive")).content
    assert Job.objects.living().exists()
    admin_client.post(page(job, "archive"))

    assert not Job.objects.living().exists()
    assert Job.objects.filter(pk=job.pk).exists()
    assert admin_client.get(page(job)).status_code == 200
    assert labels(admin_client, page(job)) == []
    assert admin_client.post(page(job, "run")).status_code == 403


def test_the_buttons_fit_the_state(admin_client: Client) -> None:
    assert labels(admin_client, page(make_job())) == ["Run now", "Pause…", "Archive…"]
    assert labels(admin_client, page(make_job(paused=True))) == ["Run now", "Resume", "Archive…"]
    assert labels(admin_client, page(make_job(enabled=False))) == ["Enable", "Run now", "Archive…"]


def test_a_job_whose_pause_has_passed_can_be_paused_again_not_resumed(admin_client: Client) -> None:
    job = make_job(paused=True, paused_until=database_now() - timedelta(minutes=1))
    assert labels(admin_client, page(job)) == ["Run now", "Pause…", "Archive…"]


def test_enable_lets_a_disabled_job_fire_again_and_says_so(admin_client: Client) -> None:
    job = make_job(enabled=False)
    assert "is enabled" in said(admin_client.post(page(job, "enable"), follow=True))
    job.refresh_from_db()
    assert job.enabled
    assert "enabled already" in said(admin_client.post(page(job, "enable"), follow=True))


def test_a_viewer_has_no_buttons_and_cannot_post(member: Any) -> None:
    viewer = member("view_job")
    job = make_job()

    assert labels(viewer, page(job)) == []
    for verb in ("run", "enable", "pause", "resume", "archive"):
        assert viewer.post(page(job, verb)).status_code == 403
    assert not JobRun.objects.exists()
    assert Job.objects.living().get() == job


def test_a_forged_post_does_nothing(admin_user: Any) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(admin_user)
    assert strict.post(page(make_job(), "run")).status_code == 403
    assert not JobRun.objects.exists()


def test_run_and_resume_are_not_done_by_a_link(admin_client: Client) -> None:
    job = make_job(paused=True)
    for verb in ("run", "resume"):
        assert admin_client.get(page(job, verb)).status_code == 405


@pytest.mark.parametrize("verb", ["run", "enable", "pause", "resume", "archive"])
def test_a_job_that_is_not_there_is_not_found(admin_client: Client, verb: str) -> None:
    assert admin_client.post(f"/admin/jobs/job/999999/{verb}/").status_code == 404


def test_b078_ticked_jobs_are_paused_resumed_and_archived_by_the_same_services(admin_client: Client) -> None:
    """B078: the list does what the page does."""
    jobs = [make_job(), make_job()]

    def act(action: str) -> None:
        admin_client.post("/admin/jobs/job/", {"action": action, "_selected_action": [job.pk for job in jobs]})

    act("pause_selected")
    assert Job.objects.filter(paused=True).count() == 2
    act("resume_selected")
    assert Job.objects.filter(paused=True).count() == 0
    act("archive_selected")
    assert Job.objects.living().count() == 0


def test_there_is_no_way_to_delete_a_job(admin_client: Client) -> None:
    job = make_job()

    assert admin_client.post(page(job, "delete"), {"post": "yes"}).status_code == 403
    admin_client.post("/admin/jobs/job/", {"action": "delete_selected", "_selected_action": [job.pk], "post": "yes"})
    assert Job.objects.filter(pk=job.pk).exists()
    assert page(job, "delete") not in admin_client.get(page(job)).content.decode()
