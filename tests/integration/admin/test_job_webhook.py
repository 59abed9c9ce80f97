"""A job's webhook in the admin: chosen in the form, shown with its runs, and kept from being deleted."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from jobs.models import Endpoint, Job
from tests.integration.admin.conftest import ADD, errors, form
from tests.support.factories import make_endpoint, make_job
from tests.support.runs import make_run, set_run

ENDPOINTS = "/admin/jobs/endpoint/"


@pytest.fixture
def endpoint(db: None) -> Endpoint:
    return make_endpoint(name="told")


def run_page(client: Client, key: Any) -> str:
    return client.get(f"/admin/jobs/jobrun/{key}/change/").content.decode()


def test_a_webhook_is_chosen_and_taken_away_again(admin_client: Client, endpoint: Endpoint) -> None:
    assert admin_client.post(ADD, form(webhook=endpoint.pk)).status_code == 302
    job = Job.objects.get()
    assert job.webhook == endpoint
    change = f"/admin/jobs/job/{job.pk}/change/"
    assert 'name="webhook"' in admin_client.get(change).content.decode()
    assert admin_client.post(change, form(version=job.version)).status_code == 302
    assert Job.objects.get().webhook is None


def test_endpoints_are_offered_as_they_are_typed(admin_client: Client, endpoint: Endpoint) -> None:
    make_endpoint(name="other")
    found = admin_client.get(
        "/admin/autocomplete/", {"app_label": "jobs", "model_name": "job", "field_name": "webhook", "term": "to"}
    )
    assert [item["text"] for item in found.json()["results"]] == ["told"]


def test_an_endpoint_that_is_not_there_is_refused(admin_client: Client) -> None:
    assert "webhook" in errors(admin_client.post(ADD, form(webhook=4711)))


def test_a_disabled_webhook_is_pointed_out(admin_client: Client) -> None:
    endpoint = make_endpoint(name="told", enabled=False)
    said = admin_client.post(ADD, form(webhook=endpoint.pk), follow=True).content.decode()
    assert "told&quot; is disabled: webhooks to it are dead at once" in said


def test_a_run_s_page_says_who_is_told_and_whether_that_is_under_way(admin_client: Client, endpoint: Endpoint) -> None:
    key = make_run(webhook_id=endpoint.pk)
    assert "told, at its end" in run_page(admin_client, key)
    set_run(key, "status = 'dead', finished_at = now()")
    assert "told, soon" in run_page(admin_client, key)
    set_run(key, "fanned_out_at = now()")
    assert "told, handed over" in run_page(admin_client, key)
    endpoint.delete()
    assert "a deleted endpoint, handed over" in run_page(admin_client, key)
    assert "Webhook" not in run_page(admin_client, make_run())


def test_a_webhook_s_page_shows_the_answer(admin_client: Client) -> None:
    job = make_job(name="system.webhook", kind="manual", task="jobs.webhook")
    result = {"status": 410, "seconds": 0.1, "address": "203.0.113.7:443", "answer": "gone for good", "cut": False}
    page = run_page(admin_client, make_run(job, status="dead", result=json.dumps(result)))
    for shown in ("HTTP 410", "203.0.113.7:443", "gone for good"):
        assert shown in page


def test_an_endpoint_that_jobs_announce_to_is_counted_and_not_deleted(admin_client: Client, endpoint: Endpoint) -> None:
    job = make_job(webhook=endpoint)
    assert '<td class="field-used_by">1</td>' in admin_client.get(ENDPOINTS).content.decode()
    delete = f"{ENDPOINTS}{endpoint.pk}/delete/"
    said = admin_client.post(delete, {"post": "yes"}, follow=True).content.decode()
    assert "was not deleted: 1 job" in said
    Job.objects.filter(pk=job.pk).update(webhook=None)
    assert admin_client.post(delete, {"post": "yes"}).status_code == 302
    assert not Endpoint.objects.exists()


def test_the_built_in_job_has_a_page_and_is_not_archived(admin_client: Client) -> None:
    job = make_job(name="system.webhook", kind="manual", task="jobs.webhook")
    assert admin_client.get(f"/admin/jobs/job/{job.pk}/change/").status_code == 200
    said = admin_client.post(f"/admin/jobs/job/{job.pk}/archive/", follow=True).content.decode()
    assert "is built in and cannot be archived" in said
