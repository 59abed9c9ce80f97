"""Bad input in the forms: the reason stands at its field, what was typed is kept, and nothing is saved."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.forms import ADD_ENDPOINT, ADD_JOB, add_endpoint, choose_endpoint, fill, new_name
from tests.browser.site import Site
from tests.browser.watch import inspect

ENDPOINTS = {
    "another scheme": ("url", "ftp://files.example.com/in", "must begin with https:// or http://"),
    "a file": ("url", "file:///etc/passwd", "must begin with https:// or http://"),
    "credentials": ("url", "https://me:s3cr3t@api.example.com/", "holds credentials"),
    "an unknown host": ("url", "https://no-such-host.invalid/hook", "no-such-host.invalid"),
    "a private address": ("url", "http://10.1.2.3/hook", "10.1.2.3"),
    "a loopback address in another spelling": ("url", "http://0177.0.0.2/", "loopback"),
    "a metadata address": ("url", "http://169.254.169.254/latest", "metadata"),
    "a header with a line break": ("headers", '{"X-A": "1\\r\\nX-B: 2"}', "holds the character"),
    "a header's name with a line break": ("headers", '{"X-A\\r\\nX-B": "2"}', "Header name"),
    "headers that are no JSON": ("headers", "X-A: 1", "JSON"),
    "a time that is too long": ("timeout_seconds", "99999", "outside 1 to 3,600"),
}
JOBS = {
    "a body that is no JSON": ("body", '{"order": }', "JSON"),
    "a body with an unknown placeholder": ("body", '{"order": "{{ order }}"}', "{{ order }}"),
    "a header with a line break": ("headers", '{"X-A": "1\\nX-B: 2"}', "holds the character"),
}
SCHEDULES = {
    "a minute that is none": ("cron", "61 * * * *", "minute 61 is outside 0-59"),
    "a zone that is none": ("timezone", "Europe/Nowhere", "Europe/Nowhere"),
    "arguments that are no list": ("args", '{"a": 1}', "list"),
}


def save_badly(page: Page, field: str, said: str, **fields: str) -> None:
    """Fill the form, save it past the browser's own checks, and look at what comes back."""
    fill(page, **fields)
    page.locator("form#job_form, form#endpoint_form").evaluate("form => { form.noValidate = true; }")
    page.click("input[name=_save]")
    expect(page.locator(f".field-{field} .errorlist")).to_contain_text(said)
    expect(page.locator(".errorlist:visible:not(#schedule-preview *)")).to_have_count(1)
    for name, typed in fields.items():
        expect(page.locator(f"#id_{name}")).to_have_value(typed)
    inspect(page)


@pytest.mark.parametrize(("field", "typed", "said"), ENDPOINTS.values(), ids=ENDPOINTS)
def test_an_endpoint_is_refused(admin: Page, running: Site, field: str, typed: str, said: str) -> None:
    fields = {"name": new_name("refused"), "url": "https://127.0.0.1/hook", field: typed}
    admin.goto(ADD_ENDPOINT)
    save_badly(admin, field, said, **fields)
    assert running.count("jobs_endpoint", fields["name"]) == 0


@pytest.mark.parametrize(("field", "typed", "said"), JOBS.values(), ids=JOBS)
def test_an_http_job_is_refused(admin: Page, running: Site, field: str, typed: str, said: str) -> None:
    fields = {"name": new_name("refused"), "kind": "manual", field: typed}
    endpoint = add_endpoint(admin, "http://127.0.0.1/hook")
    admin.goto(ADD_JOB)
    fill(admin, target_kind="endpoint")
    choose_endpoint(admin, endpoint)
    save_badly(admin, field, said, **fields)
    expect(admin.locator(".field-endpoint .select2-selection")).to_contain_text(endpoint)
    assert running.count("jobs_job", fields["name"]) == 0


def test_an_http_job_without_endpoint_is_refused_there_alone(admin: Page, running: Site) -> None:
    fields = {"name": new_name("refused"), "kind": "manual", "target_kind": "endpoint", "body": '{"order": 7}'}
    admin.goto(ADD_JOB)
    save_badly(admin, "endpoint", "Choose the endpoint to POST to", **fields)
    assert running.count("jobs_job", fields["name"]) == 0


@pytest.mark.parametrize(("field", "typed", "said"), SCHEDULES.values(), ids=SCHEDULES)
def test_a_celery_job_is_refused(admin: Page, running: Site, field: str, typed: str, said: str) -> None:
    fields = {"name": new_name("refused"), "task": "tests.noop", "kind": "cron", "cron": "0 9 * * *", field: typed}
    admin.goto(ADD_JOB)
    save_badly(admin, field, said, **fields)
    assert running.count("jobs_job", fields["name"]) == 0
