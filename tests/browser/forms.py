"""Forms filled in as a person does it, and pages that are loaded again until they show something."""

from __future__ import annotations

import re
import secrets

from playwright.sync_api import Page, expect

from tests.browser.watch import inspect
from tests.support.waiting import wait_until

ADD_JOB, ADD_ENDPOINT = "/admin/jobs/job/add/", "/admin/jobs/endpoint/add/"


def new_name(word: str) -> str:
    """A name that no other test uses."""
    return f"{word}-{secrets.token_hex(3)}"


def fill(page: Page, **fields: str) -> None:
    """Type into fields by their names; choose where there is a choice."""
    for name, value in fields.items():
        field = page.locator(f"#id_{name}")
        if field.evaluate("field => field.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)


def save(page: Page) -> None:
    page.click("input[name=_save]")
    expect(page.locator(".messagelist .success")).to_be_visible()


def add_endpoint(page: Page, url: str, **fields: str) -> str:
    """An endpoint made by its form, without a secret; its name."""
    name = new_name("endpoint")
    page.goto(ADD_ENDPOINT)
    fill(page, name=name, url=url, **fields)
    save(page)
    return name


def add_job(page: Page, *, endpoint: str = "", **fields: str) -> str:
    """A job made by its form and opened; its name. With an endpoint's name an HTTP job."""
    name = new_name("job")
    page.goto(ADD_JOB)
    if endpoint:
        fill(page, target_kind="endpoint")
        choose_endpoint(page, endpoint)
    fill(page, name=name, **{"kind": "manual", **fields})
    save(page)
    page.locator("#result_list").get_by_role("link", name=name, exact=True).click()
    return name


def choose_endpoint(page: Page, name: str) -> None:
    """By the first letters of its name, from what is suggested."""
    page.click(".field-endpoint .select2-selection")
    page.keyboard.type(name[:-1])
    page.click(f".select2-results__option:has-text('{name}')")


def run_now(page: Page) -> str:
    """Press the button of a job's page; the key of the run."""
    page.get_by_role("button", name="Run now").click()
    message = page.locator(".messagelist .success").inner_text()
    found = re.search(r"Run (\S+) is queued", message)
    assert found, message
    return found[1]


def open_run(page: Page, key: str, *, status: str) -> None:
    """The page of a run, loaded again until it shows the status."""
    page.goto(f"/admin/jobs/jobrun/{key}/change/")
    until_shown(page, ".jobs-head .jobs-badge", status)


def until_shown(page: Page, selector: str, text: str) -> None:
    """Load the page again until something on it holds the text; then look at all of it."""

    def shown() -> bool:
        page.reload()
        return any(text in found for found in page.locator(selector).all_inner_texts())

    wait_until(shown, timeout=40, what=f'"{text}" in {selector} of {page.url}', every=0.3)
    inspect(page)
