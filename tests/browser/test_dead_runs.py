"""Dead runs: looked at by their error, and replayed when the cause is mended."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.forms import add_endpoint, add_job, new_name, open_run, run_now, until_shown
from tests.browser.watch import inspect
from tests.support.http_server import HttpServer, answer

GROUPS = "/admin/jobs/deadrun/"


class Outage:
    """Three dead runs of one error, and its endpoint, which can recover."""

    def __init__(self, page: Page, receiver: HttpServer) -> None:
        self.page, self.receiver = page, receiver
        self.error = new_name("outage")
        receiver.behave = answer("503 Service Unavailable", self.error.encode())
        endpoint = add_endpoint(page, receiver.url())
        fast = {"max_attempts": "2", "backoff_kind": "fixed", "backoff_base_seconds": "0.1"}
        self.job = add_job(page, endpoint=endpoint, body='{"order": 7}', **fast)
        self.keys = [run_now(page) for _ in range(3)]
        for key in self.keys:
            open_run(page, key, status="dead")

    def mend(self) -> None:
        self.receiver.behave = answer("200 OK")

    def open_group(self, *, runs: int) -> None:
        """The group's page, reached through the list of groups."""
        self.page.goto(GROUPS)
        row = self.page.locator("#result_list tbody tr", has_text=self.error)
        expect(row.locator(".jobs-number").first).to_have_text(str(runs))
        inspect(self.page)
        row.get_by_role("link").click()
        expect(self.page.locator("#result_list tbody tr")).to_have_count(runs)


@pytest.fixture
def outage(admin: Page, receiver: HttpServer) -> Outage:
    return Outage(admin, receiver)


def test_a_group_shows_what_its_runs_got_and_the_errors_of_each_attempt(outage: Outage) -> None:
    page = outage.page
    outage.open_group(runs=3)
    row = page.locator("#result_list tbody tr", has_text=outage.keys[0])
    expect(row).to_contain_text("2 of 2")
    expect(row.locator(".jobs-given")).to_have_text('{"body": {"order": 7}}')
    row.locator("summary").click()
    for number in (1, 2):
        entry = row.locator("li", has_text=f"Attempt {number}: failed")
        expect(entry).to_contain_text("HTTP 503 Service Unavailable, in ")
        expect(entry).to_contain_text(outage.error)
    inspect(page)


def test_one_is_replayed_then_all_of_the_group_at_a_rate(outage: Outage) -> None:
    page = outage.page
    first, *others = outage.keys
    outage.mend()
    outage.open_group(runs=3)
    page.get_by_label(f"Select {first}").check()
    page.get_by_role("button", name="Replay selected").click()
    expect(page.locator(".messagelist .success")).to_have_text("Queued again: 1.")
    expect(page.locator("#result_list tbody tr")).to_have_count(2)
    inspect(page)

    page.get_by_label("Runs a second").fill("5")
    page.get_by_role("button", name="Replay all of this group").click()
    expect(page.locator(".messagelist .success")).to_have_text("Queued again: 2.")
    expect(page.locator("main")).to_contain_text("No run of this group")
    inspect(page)
    for key in (first, *others):
        open_run(page, key, status="succeeded")
        expect(page.locator(".jobs-timeline")).to_contain_text("replayed by admin")
        expect(page.locator(".jobs-timeline")).to_contain_text("Attempt 3 succeeded")
    keys = [request.headers["idempotency-key"] for request in outage.receiver.requests]
    assert {key: keys.count(key) for key in outage.keys} == dict.fromkeys(outage.keys, 3)


def test_a_rate_that_cannot_be_is_refused_and_nothing_is_replayed(outage: Outage) -> None:
    page = outage.page
    outage.open_group(runs=3)
    page.locator("form#changelist-form").evaluate("form => { form.noValidate = true; }")
    page.get_by_label("Runs a second").fill("0")
    page.get_by_role("button", name="Replay all of this group").click()
    expect(page.locator(".messagelist .error")).to_contain_text("Runs a second:")
    expect(page.locator("#result_list tbody tr")).to_have_count(3)


def test_a_dead_run_is_replayed_from_its_own_page(outage: Outage) -> None:
    page = outage.page
    outage.mend()
    page.goto(f"/admin/jobs/jobrun/{outage.keys[0]}/change/")
    page.get_by_role("button", name="Replay").click()
    expect(page.locator(".messagelist .success")).to_have_text(re.compile("is queued again"))
    until_shown(page, ".jobs-head .jobs-badge", "succeeded")
    expect(page.locator(".jobs-timeline")).to_contain_text("replayed by admin")
