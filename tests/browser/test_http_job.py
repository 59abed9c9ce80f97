"""An endpoint from its form to the call that a run makes."""

from __future__ import annotations

import json
import re

from playwright.sync_api import Page, expect

from jobs.targets.signing import secret_fault
from scheduler_project.demo.verify import verify
from tests.browser.forms import ADD_ENDPOINT, ADD_JOB, add_job, fill, new_name, open_run, run_now, save
from tests.browser.site import Site
from tests.browser.watch import inspect
from tests.support.http_server import HttpServer

LIST = "/admin/jobs/endpoint/"
TAKEN = re.compile(r'"taken":\s*true')


def add_signed(page: Page, url: str) -> tuple[str, str]:
    """An endpoint made by its form with a secret made for it: name and secret. It ends on the endpoint's page."""
    name = new_name("hooks")
    page.goto(ADD_ENDPOINT)
    fill(page, name=name, url=url, secret_deed="generate")
    inspect(page)
    page.click("input[name=_save]")
    secret = page.locator("#new-secret").inner_text()
    inspect(page)
    page.get_by_role("link", name="I have copied it").click()
    return name, secret


def test_a_generated_secret_is_shown_once_and_never_again(admin: Page, receiver: HttpServer) -> None:
    _, secret = add_signed(admin, receiver.url())
    assert secret_fault(secret) == ""
    expect(admin.locator(".field-secret_state")).to_contain_text("set: calls are signed")
    address = admin.url.removesuffix("change/")
    for page in (admin.url, LIST, f"{address}history/", f"{address}try/", f"{address}delete/", "/admin/"):
        admin.goto(page)
        inspect(admin)
        assert secret not in admin.content(), page


def test_the_test_button_shows_request_and_answer(admin: Page, receiver: HttpServer) -> None:
    _, secret = add_signed(admin, receiver.url())
    admin.get_by_role("link", name="Test…").click()
    inspect(admin)
    admin.get_by_role("button", name="Send").click()
    expect(admin.locator("#answer")).to_contain_text("200 OK")
    expect(admin.locator("#answer")).to_contain_text("127.0.0.1")
    expect(admin.locator("main")).to_contain_text(TAKEN)
    expect(admin.locator("#request")).to_contain_text(f"POST {receiver.url()}")
    inspect(admin)
    [request] = receiver.requests
    assert verify(secret, request.headers, request.body)
    assert secret not in admin.content()


def test_an_http_job_is_made_run_and_answered(admin: Page, receiver: HttpServer) -> None:
    endpoint, secret = add_signed(admin, receiver.url())
    job = add_job(admin, endpoint=endpoint, body='{"order": 7, "run": "{{ run }}"}')
    inspect(admin)
    key = run_now(admin)
    open_run(admin, key, status="succeeded")

    answer = admin.locator("section", has=admin.locator("#jobs-answer"))
    for words in ("HTTP 200", "127.0.0.1", "application/json", TAKEN, re.compile(r"Took\s*0\.\d{3} s")):
        expect(answer).to_contain_text(words)
    [request] = receiver.requests
    assert json.loads(request.body) == {"order": 7, "run": key}
    assert (request.headers["idempotency-key"], request.headers["beatkeeper-job"]) == (key, job)
    assert verify(secret, request.headers, request.body)
    assert not verify(secret, request.headers, request.body + b" ")
    assert secret not in admin.content()


def test_an_endpoint_made_in_the_job_s_form_goes_into_its_field(
    admin: Page, running: Site, receiver: HttpServer
) -> None:
    job, endpoint = new_name("job"), new_name("hooks")
    admin.goto(ADD_JOB)
    fill(admin, name=job, kind="manual", target_kind="endpoint")
    with admin.expect_popup() as opened:
        admin.click("#add_id_endpoint")
    popup = opened.value
    fill(popup, name=endpoint, url=receiver.url(), secret_deed="generate")
    popup.click("input[name=_save]")
    expect(popup.locator("#new-secret")).to_have_text(re.compile(r"^whsec_"))
    inspect(popup)
    with popup.expect_event("close"):
        popup.get_by_role("button", name="I have copied it").click()
    expect(admin.locator(".field-endpoint .select2-selection")).to_contain_text(endpoint)
    save(admin)
    query = "SELECT e.name FROM jobs_job j JOIN jobs_endpoint e ON e.id = j.endpoint_id WHERE j.name = %s"
    assert running.stack.sql(query, job) == [(endpoint,)]
