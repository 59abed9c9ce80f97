"""The target in the job form: a task or an endpoint, never both."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from jobs.models import Job
from tests.integration.admin.conftest import ADD, errors, form
from tests.support.factories import make_endpoint, make_job


def http_form(**fields: Any) -> dict[str, Any]:
    """The form as the script sends it: without the fields of the task."""
    filled = form(target_kind="endpoint", headers="{}", body="", **fields)
    return {name: value for name, value in filled.items() if name not in {"task", "args", "kwargs"} - fields.keys()}


def test_an_http_job_is_saved_with_body_and_headers(admin_client: Client) -> None:
    endpoint = make_endpoint()
    typed = {"body": '{"run": "{{ run }}", "café": [1, null]}', "headers": '{"X-Team": "billing"}'}
    assert admin_client.post(ADD, http_form(endpoint=endpoint.pk) | typed).status_code == 302

    job = Job.objects.get()
    assert (job.task, job.args, job.kwargs, job.endpoint) == ("", [], {}, endpoint)
    assert (job.body, job.headers) == ({"run": "{{ run }}", "café": [1, None]}, {"X-Team": "billing"})
    shown = admin_client.get(f"/admin/jobs/job/{job.pk}/change/").context["adminform"].form
    assert shown["target_kind"].value() == "endpoint"
    assert shown["body"].value() == '{"run": "{{ run }}", "café": [1, null]}'


def test_without_a_body_the_field_is_empty_and_the_standard_body_is_sent(admin_client: Client) -> None:
    admin_client.post(ADD, http_form(endpoint=make_endpoint().pk))
    job = Job.objects.get()
    assert job.body is None
    assert admin_client.get(f"/admin/jobs/job/{job.pk}/change/").context["adminform"].form["body"].value() == ""


@pytest.mark.parametrize(
    ("fields", "field", "said"),
    [
        ({}, "endpoint", "Choose the endpoint to POST to"),
        ({"endpoint": "999999"}, "endpoint", "not one of the available choices"),
        ({"endpoint": "HOOK", "task": "tests.noop"}, "endpoint", "A job has one target"),
        ({"endpoint": "HOOK", "args": "[1]"}, "args", "An endpoint takes no args"),
        ({"endpoint": "HOOK", "body": "{"}, "body", "is not JSON"),
        ({"endpoint": "HOOK", "body": '{"a": "{{ order }}"}'}, "body", "{{ order }} is no placeholder"),
        ({"endpoint": "HOOK", "body": '{"{{ run }}": 1}'}, "body", "keys are not filled in"),
        ({"endpoint": "HOOK", "headers": '{"X": "a\\r\\nB: c"}'}, "headers", "holds the character"),
        ({"endpoint": "HOOK", "headers": '{"Cookie": "a"}'}, "headers", "Enter it under Secret headers"),
        ({"endpoint": "HOOK", "soft_timeout_seconds": "5"}, "soft_timeout_seconds", "no soft limit"),
        ({"target_kind": "task", "task": ""}, "task", "Name the Celery task"),
        ({"target_kind": "task", "task": "tests.noop", "body": "{}"}, "body", "A body is what an endpoint is sent"),
        ({"target_kind": "task", "task": "tests.noop", "headers": '{"X": "a"}'}, "headers", "Headers are what an"),
    ],
)
def test_a_wrong_combination_is_named_at_its_field(
    admin_client: Client, fields: dict[str, Any], field: str, said: str
) -> None:
    if fields.get("endpoint") == "HOOK":
        fields = {**fields, "endpoint": make_endpoint().pk}
    found = errors(admin_client.post(ADD, {**http_form(), **fields}))

    assert list(found) == [field]
    assert len(found[field]) == 1
    assert said in found[field][0]
    assert not Job.objects.exists()


def test_without_the_script_the_filled_in_target_counts_whatever_stands_chosen(admin_client: Client) -> None:
    sent = form(target_kind="task", task="", endpoint=make_endpoint().pk, body="", headers="")
    assert admin_client.post(ADD, sent).status_code == 302


def test_a_job_goes_from_a_task_to_an_endpoint_and_back(admin_client: Client) -> None:
    """With the script, what belongs to the other target is not sent at all."""
    job = make_job(name="nightly", args=[1], kwargs={"a": 1})
    address = f"/admin/jobs/job/{job.pk}/change/"
    assert admin_client.post(address, http_form(endpoint=make_endpoint().pk, version="1")).status_code == 302
    job.refresh_from_db()
    assert (job.task, job.args, job.kwargs) == ("", [], {})

    Job.objects.filter(pk=job.pk).update(headers={"X-Team": "billing"}, body={})
    assert admin_client.post(address, form(target_kind="task", version="3")).status_code == 302
    job.refresh_from_db()
    assert (job.task, job.endpoint, job.headers, job.body) == ("tests.noop", None, {}, None)


def test_b131_a_job_goes_from_one_kind_of_schedule_to_another(admin_client: Client) -> None:
    """B131, as the script sends it: without the fields of the kind that was left."""
    job = make_job(name="nightly")
    sent = form(kind="interval", interval_seconds="60", version="1")
    del sent["cron"]
    assert admin_client.post(f"/admin/jobs/job/{job.pk}/change/", sent).status_code == 302
    job.refresh_from_db()
    assert (job.cron, job.interval_seconds) == ("", 60)


def test_of_an_http_job_the_cautions_speak_of_its_endpoint_and_not_of_tasks(admin_client: Client) -> None:
    endpoint = make_endpoint(name="billing", enabled=False)
    response = admin_client.post(ADD, http_form(endpoint=endpoint.pk), follow=True)
    said = " ".join(str(message) for message in response.context["messages"])
    assert 'Endpoint "billing" is disabled: runs that start now are dead at once.' in said
    assert "knows no task" not in said
    assert '"jobs.http"' in said


def test_endpoints_are_offered_as_they_are_typed_and_never_all_at_once(admin_client: Client) -> None:
    make_endpoint(name="billing")
    make_endpoint(name="mail")
    page = admin_client.get(ADD).content.decode()
    assert "mail" not in page.split('name="endpoint"')[1].split("</select>")[0]
    asked = {"app_label": "jobs", "model_name": "job", "field_name": "endpoint", "term": "bil"}
    found = admin_client.get("/admin/autocomplete/", asked).json()["results"]
    assert [result["text"] for result in found] == ["billing"]


@pytest.mark.parametrize("is_http", [True, False])
def test_who_may_only_look_sees_the_one_target(member: Any, is_http: bool) -> None:
    job = make_job(task="", endpoint=make_endpoint(name="billing")) if is_http else make_job()
    page = member("view_job", "view_endpoint").get(f"/admin/jobs/job/{job.pk}/change/").content.decode()
    assert ("field-endpoint" in page, "field-task" in page) == (is_http, not is_http)
    assert "target_kind" not in page
