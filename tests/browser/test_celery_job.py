"""A Celery job from its form to its runs."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.forms import ADD_JOB, add_job, fill, new_name, open_run, run_now, save, until_shown
from tests.browser.watch import inspect

BODY = "tests.support.bodies.body"


def test_a_job_made_by_the_form_runs_at_a_press_of_a_button(admin: Page) -> None:
    name = new_name("report")
    admin.goto(ADD_JOB)
    fill(admin, name=name, task=BODY, kwargs='{"seconds": 0.1}', kind="cron", cron="30 2 * * *")
    fill(admin, timezone="Europe/Berlin")
    expect(admin.locator("#schedule-preview tbody tr")).to_have_count(10)
    expect(admin.locator("#schedule-preview")).to_contain_text("At 02:30, Europe/Berlin")
    inspect(admin)
    save(admin)
    inspect(admin)
    admin.click(f"#result_list a:text-is('{name}')")
    inspect(admin)

    key = run_now(admin)
    open_run(admin, key, status="succeeded")
    expect(admin.locator(".jobs-timeline")).to_contain_text("Attempt 1 succeeded")
    expect(admin.locator("main")).to_contain_text('"slept": 0.1')
    admin.get_by_role("link", name=name).first.click()
    expect(admin.locator(".jobs-strip a.jobs-cell-succeeded")).to_have_count(1)
    last_run = admin.locator("section", has_text="Last runs").locator("tbody tr")
    expect(last_run).to_contain_text("succeeded manual")
    last_run.get_by_role("link").click()
    expect(admin.locator(".jobs-head h1")).to_contain_text(key)


def test_a_job_of_an_interval_fires_by_itself(admin: Page) -> None:
    add_job(admin, task=BODY, kind="interval", interval_seconds="1")
    until_shown(admin, ".jobs-columns .jobs-badge", "succeeded")
    expect(admin.locator(".jobs-head .jobs-words")).to_contain_text("Every second, counted from")
    admin.get_by_role("link", name="Archive…").click()
    admin.get_by_role("button", name="Archive").click()


def test_a_task_that_fails_shows_its_traceback(admin: Page) -> None:
    add_job(admin, task=BODY, kwargs='{"fails": true}', max_attempts="1")
    open_run(admin, run_now(admin), status="dead")
    expect(admin.locator(".jobs-attempt-error")).to_have_text("RuntimeError: told to fail")
    expect(admin.locator(".jobs-attempt details[open]")).to_contain_text("Traceback (most recent call last)")
