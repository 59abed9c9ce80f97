"""The job form in a browser."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Page, expect

from jobs.models import Job, JobRun
from tests.support.factories import make_endpoint, make_job

ADD = "/admin/jobs/job/add/"


def open_form(context: BrowserContext, address: str = ADD) -> Page:
    page = context.new_page()
    page.goto(address)
    return page


def saved(page: Page) -> Job:
    page.click("input[name=_save]")
    expect(page.locator(".messagelist .success")).to_be_visible()
    return Job.objects.get()


def test_shows_the_fields_of_the_chosen_kind_alone(logged_in: BrowserContext) -> None:
    page = open_form(logged_in)
    expect(page.locator("fieldset.kind-fields:visible")).to_have_count(0)
    for kind, field in (("cron", "cron"), ("interval", "interval_seconds"), ("once", "once_at")):
        page.select_option("#id_kind", kind)
        expect(page.locator("fieldset.kind-fields:visible")).to_have_count(1)
        expect(page.locator(f"#id_{field}")).to_be_visible()


def test_shows_the_fields_of_the_chosen_target_alone(logged_in: BrowserContext) -> None:
    page = open_form(logged_in)
    expect(page.locator("#id_task")).to_be_visible()
    expect(page.locator("#id_body")).to_be_hidden()
    page.select_option("#id_target_kind", "endpoint")
    expect(page.locator("#id_body")).to_be_visible()
    expect(page.locator("#id_task")).to_be_hidden()


def test_a_task_s_job_becomes_an_http_job(logged_in: BrowserContext) -> None:
    job = make_job(args=[1])
    endpoint = make_endpoint(name="billing")
    page = open_form(logged_in, f"/admin/jobs/job/{job.pk}/change/")
    page.select_option("#id_target_kind", "endpoint")
    page.click(".field-endpoint .select2-selection")
    page.keyboard.type("bil")
    page.click(".select2-results__option:has-text('billing')")
    page.fill("#id_body", '{"run": "{{ run }}"}')

    job = saved(page)
    assert (job.task, job.args, job.endpoint, job.body) == ("", [], endpoint, {"run": "{{ run }}"})


def test_what_was_typed_for_another_kind_is_kept_on_the_page_but_not_saved(logged_in: BrowserContext) -> None:
    page = open_form(logged_in)
    page.fill("#id_name", "report")
    page.fill("#id_task", "tests.noop")
    page.select_option("#id_kind", "cron")
    page.fill("#id_cron", "0 9 * * *")
    page.select_option("#id_kind", "interval")
    page.fill("#id_interval_seconds", "60")
    page.select_option("#id_kind", "cron")
    expect(page.locator("#id_cron")).to_have_value("0 9 * * *")
    page.select_option("#id_kind", "interval")

    job = saved(page)
    assert (job.kind, job.interval_seconds, job.cron) == ("interval", 60, "")


def test_the_preview_follows_what_is_typed(logged_in: BrowserContext) -> None:
    page = open_form(logged_in)
    page.select_option("#id_kind", "cron")
    page.fill("#id_cron", "30 2 * * *")
    page.fill("#id_timezone", "Europe/Berlin")
    preview = page.locator("#schedule-preview")

    expect(preview.locator("tbody tr")).to_have_count(10)
    expect(preview).to_contain_text("At 02:30, Europe/Berlin")
    page.fill("#id_cron", "61 * * * *")
    expect(preview).to_contain_text("minute 61 is outside 0-59")
    expect(preview.locator("table")).to_have_count(0)


def test_the_preview_keeps_up_with_a_change_of_kind(logged_in: BrowserContext) -> None:
    page = open_form(logged_in)
    page.select_option("#id_kind", "cron")
    page.fill("#id_cron", "30 2 * * *")
    page.select_option("#id_kind", "manual")
    expect(page.locator("#schedule-preview")).to_contain_text("Only when asked for")


def test_a_saved_job_runs_at_a_press_of_a_button(logged_in: BrowserContext) -> None:
    job = make_job()
    page = open_form(logged_in, f"/admin/jobs/job/{job.pk}/change/")
    page.click("text=Run now")

    expect(page.locator(".messagelist .success")).to_contain_text("is queued")
    assert JobRun.objects.get().job_id == job.pk


def test_works_without_scripts(logged_in_without_scripts: BrowserContext) -> None:
    page = open_form(logged_in_without_scripts)
    page.fill("#id_name", "report")
    page.fill("#id_task", "tests.noop")
    page.select_option("#id_kind", "interval")
    page.fill("#id_cron", "0 9 * * *")
    page.fill("#id_interval_seconds", "60")
    page.click("input[name=_save]")
    expect(page.locator(".field-cron .errorlist")).to_contain_text("belongs to kind")
    expect(page.locator("#id_cron")).to_have_value("0 9 * * *")

    page.fill("#id_cron", "")
    assert saved(page).interval_seconds == 60
