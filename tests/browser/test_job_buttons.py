"""A job's buttons: they fit its state, and who may only look has none."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.forms import add_endpoint, add_job, run_now
from tests.browser.site import Site
from tests.browser.watch import inspect

PAGES = "/admin/jobs/"


def state(page: Page) -> str:
    return page.locator(".jobs-head-state .jobs-badge").inner_text()


def buttons(page: Page) -> list[str]:
    return [text for text in page.locator(".jobs-buttons .jobs-action").all_inner_texts() if text != "Changes"]


def test_a_job_is_paused_and_resumed(admin: Page) -> None:
    add_job(admin, task="tests.noop", kind="cron", cron="0 9 * * *")
    assert (state(admin), buttons(admin)) == ("active", ["Run now", "Pause…", "Archive…"])
    admin.get_by_role("link", name="Pause…").click()
    inspect(admin)
    admin.get_by_label("Until (local time of UTC)").fill("2020-01-01 00:00")
    admin.get_by_label("Reason").fill("moving house")
    admin.get_by_role("button", name="Pause").click()
    expect(admin.locator(".errorlist")).to_contain_text("2020-01-01 00:00 is over")
    expect(admin.get_by_label("Reason")).to_have_value("moving house")
    inspect(admin)
    admin.get_by_label("Until (local time of UTC)").fill("2099-01-01 00:00")
    admin.get_by_role("button", name="Pause").click()
    assert (state(admin), buttons(admin)) == ("paused", ["Run now", "Resume", "Archive…"])
    expect(admin.locator(".jobs-head-state")).to_contain_text("moving house")
    inspect(admin)
    admin.get_by_role("button", name="Resume").click()
    assert (state(admin), buttons(admin)) == ("active", ["Run now", "Pause…", "Archive…"])


def test_an_archived_job_keeps_its_page_and_has_no_buttons(admin: Page) -> None:
    add_job(admin, task="tests.noop")
    admin.get_by_role("link", name="Archive…").click()
    inspect(admin)
    admin.get_by_role("button", name="Archive").click()
    assert (state(admin), buttons(admin)) == ("archived", [])
    expect(admin.locator("input[name=_save]")).to_have_count(0)
    inspect(admin)


def test_a_disabled_job_is_enabled(admin: Page) -> None:
    add_job(admin, task="tests.noop")
    admin.uncheck("#id_enabled")
    admin.click("input[name=_continue]")
    assert (state(admin), buttons(admin)) == ("disabled", ["Enable", "Run now", "Archive…"])
    admin.get_by_role("button", name="Enable").click()
    assert state(admin) == "active"


@pytest.fixture
def addresses(admin: Page, running: Site) -> dict[str, list[str]]:
    """What a viewer may open, and what only those may ask for who may change something."""
    endpoint = add_endpoint(admin, "http://127.0.0.1/hook")
    add_job(admin, task="tests.noop")
    job, key = admin.url.removesuffix("change/").removeprefix(running.url), run_now(admin)
    [[number]] = running.stack.sql("SELECT id FROM jobs_endpoint WHERE name = %s", endpoint)
    hook, run = f"{PAGES}endpoint/{number}/", f"{PAGES}jobrun/{key}/"
    deeds = [f"{job}{verb}/" for verb in ("run", "enable", "pause", "resume", "archive", "change")]
    adds = [f"{PAGES}job/add/", f"{PAGES}endpoint/add/"]
    others = [f"{run}replay/", f"{run}cancel/", f"{hook}try/", f"{hook}change/", f"{hook}delete/"]
    letters = [f"{PAGES}deadletter/1/discard/", f"{PAGES}deadletter/1/send-back/"]
    return {
        "seen": [f"{job}change/", f"{hook}change/", f"{run}change/", f"{PAGES}job/", f"{PAGES}deadrun/"],
        "refused": [*deeds, *adds, *others, *letters, f"{PAGES}deadrun/0123456789ab/replay/"],
    }


def test_a_viewer_sees_no_buttons_and_is_refused_at_their_addresses(
    viewer: Page, addresses: dict[str, list[str]]
) -> None:
    for address in addresses["seen"]:
        viewer.goto(address)
        inspect(viewer)
        expect(viewer.locator("main form[method=post] [type=submit], .jobs-button")).to_have_count(0)
        assert buttons(viewer) == []
    token = next(cookie["value"] for cookie in viewer.context.cookies() if cookie["name"] == "csrftoken")
    for address in addresses["refused"]:
        answer = viewer.request.post(address, headers={"X-CSRFToken": token})
        assert (answer.status, "CSRF" in answer.text()) == (403, False), address
