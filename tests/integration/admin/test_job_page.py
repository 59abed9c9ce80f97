"""The head of a job's page, the strip, and what both cost."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from jobs.domain.states import GapReason, RunStatus
from jobs.models import Job, JobCursor, SlotGap
from jobs.store.clock import database_now
from jobs.store.statement import Statement
from tests.support.factories import make_job
from tests.support.job_history import make_run

JOBS = "/admin/jobs/job/"


def page(client: Client, job: Job) -> str:
    return client.get(f"{JOBS}{job.pk}/change/").content.decode()


def history(job: Job, statuses: list[RunStatus]) -> list[Any]:
    """Runs of these statuses, a minute apart, the last of them the newest."""
    now = database_now()
    ago = [timedelta(minutes=len(statuses) - index) for index in range(len(statuses))]
    return [make_run(job, status, scheduled_for=now - span) for status, span in zip(statuses, ago, strict=True)]


def cells(content: str) -> list[str]:
    """The statuses of the cells that are links, from left to right."""
    return re.findall(r'<a class="jobs-cell jobs-cell-([a-z]+)', content)


def test_the_strip_shows_the_last_runs_newest_right_with_links(admin_client: Client) -> None:
    job = make_job()
    runs = history(job, [RunStatus.SUCCEEDED, RunStatus.DEAD, RunStatus.MISSED, RunStatus.RUNNING])

    for content in (admin_client.get(JOBS).content.decode(), page(admin_client, job)):
        assert cells(content) == ["succeeded", "dead", "missed", "running"]
        assert f'href="/admin/jobs/jobrun/{runs[1].key}/change/"' in content
        assert 'aria-label="Last 4 runs: 1 running, 1 succeeded, 1 dead, 1 missed"' in content


def test_the_strip_has_twenty_cells_in_the_list_and_forty_on_the_page(admin_client: Client) -> None:
    job = make_job()
    history(job, [RunStatus.SUCCEEDED] * 45)

    assert len(cells(admin_client.get(JOBS).content.decode())) == 20
    assert len(cells(page(admin_client, job))) == 40


def test_a_run_that_needed_more_than_one_attempt_is_marked(admin_client: Client) -> None:
    job = make_job()
    make_run(job, RunStatus.SUCCEEDED, attempts=3)
    assert "jobs-cell-succeeded jobs-cell-retried" in page(admin_client, job)


def test_an_error_in_a_title_is_escaped(admin_client: Client) -> None:
    job = make_job()
    make_run(job, RunStatus.DEAD, last_error='"><script>alert(1)</script>')
    for content in (admin_client.get(JOBS).content.decode(), page(admin_client, job)):
        assert "<script>alert" not in content


def test_the_list_costs_the_same_for_one_job_and_for_fifty(admin_client: Client) -> None:
    history(make_job(), [RunStatus.SUCCEEDED] * 3)
    admin_client.get(JOBS)
    with CaptureQueriesContext(connection) as few:
        admin_client.get(JOBS)
    for _ in range(49):
        history(make_job(), [RunStatus.DEAD] * 2)
    with CaptureQueriesContext(connection) as many:
        admin_client.get(JOBS)

    assert len(many) == len(few)
    strips = Statement("recent_runs").text.partition("\n")[0]
    assert sum(strips in query["sql"] for query in many) == 1


def test_the_page_costs_the_same_with_and_without_a_history(admin_client: Client) -> None:
    job = make_job()
    page(admin_client, job)
    with CaptureQueriesContext(connection) as new:
        page(admin_client, job)
    history(job, [RunStatus.SUCCEEDED] * 45)
    gap(job, GapReason.PAUSED)
    with CaptureQueriesContext(connection) as old:
        page(admin_client, job)

    assert len(old) == len(new) <= 16
    assert not [query["sql"] for query in old if "COUNT(" in query["sql"]]


def test_the_next_ten_fires_have_local_time_offset_utc_and_the_mark_of_a_clock_change(admin_client: Client) -> None:
    content = page(admin_client, make_job(cron="30 2 28 * *", timezone="Europe/Berlin"))
    fires = content.partition('id="jobs-fires"')[2].partition("</section>")[0]

    assert fires.count("<tr") == 11
    assert "Local time (Europe/Berlin)" in fires
    assert re.search(
        r"<td>\w{3} \d{4}-\d\d-28 02:30:00</td><td>\+0[12]:00</td><td>\d{4}-\d\d-28 0[01]:30:00</td>", fires
    )
    assert 'class="jobs-clock-change"' in fires  # ten months always meet one


def test_what_holds_the_fires_back_is_said(admin_client: Client) -> None:
    until = database_now() + timedelta(days=400)
    assert "none of these fires until it is resumed" in page(admin_client, make_job(paused=True))
    assert "none of these fires until it is enabled" in page(admin_client, make_job(enabled=False))
    paused = page(admin_client, make_job(cron="0 0 * * *", paused=True, paused_until=until))
    assert f"{until + timedelta(days=1):%Y-%m-%d} 00:00:00" in paused.partition('id="jobs-fires"')[2]


def test_a_parked_job_says_why(admin_client: Client) -> None:
    job = make_job()
    JobCursor.objects.filter(pk=job.pk).update(error="minute 61 is outside 0-59")
    assert "minute 61 is outside 0-59" in page(admin_client, job)


def test_gaps_are_shown_with_count_range_and_reason_in_words(admin_client: Client) -> None:
    job = make_job(timezone="Asia/Kolkata")
    for _ in range(12):
        gap(job, GapReason.CATCH_UP)
    content = page(admin_client, job).partition('id="jobs-gaps"')[2].partition("</section>")[0]

    assert content.count("missed in an outage, and the job&#x27;s catch-up leaves them out") == 10
    assert ">24<" in content
    assert "+05:30" in content
    assert f"/admin/jobs/slotgap/?job={job.pk}" in content


def test_lateness_and_duration_are_medians_of_the_strip(admin_client: Client) -> None:
    job, now = make_job(), database_now()
    for minute, late, took in ((1, 1, 10), (2, 2, 20), (3, 60, 600)):
        slot = now - timedelta(minutes=minute)
        start = slot + timedelta(seconds=late)
        end = start + timedelta(seconds=took)
        make_run(job, RunStatus.SUCCEEDED, scheduled_for=slot, started_at=start, finished_at=end, attempts=1)

    facts = dict(re.findall(r"<dt>([^<]+, median)</dt><dd>([^<]+)</dd>", page(admin_client, job)))
    assert facts == {"Late by, median": "2.0 s", "Took, median": "20 s"}


def test_runs_and_gaps_are_shown_to_those_who_may_see_them(member: Any) -> None:
    job = make_job()
    make_run(job, RunStatus.DEAD, last_error="a secret of the team")
    content = page(member("view_job"), job)

    assert 'id="jobs-fires"' in content
    assert 'id="jobs-runs"' not in content
    assert 'id="jobs-gaps"' not in content


@pytest.mark.parametrize("address", [JOBS, "/admin/jobs/jobrun/", "/admin/jobs/slotgap/"])
def test_filters_are_links_that_keep_what_else_was_asked_for(admin_client: Client, address: str) -> None:
    content = admin_client.get(f"{address}?q=report").content.decode()
    links = re.findall(r'<a href="(\?[^"]*)"', content.partition('class="jobs-filters"')[2].partition("</nav>")[0])

    assert links
    assert all("q=report" in link for link in links)


def gap(job: Job, reason: GapReason) -> None:
    until = database_now() - timedelta(days=1)
    SlotGap.objects.create(
        job=job, after=until - timedelta(days=1), until=until, reason=reason, count=24, version=job.version
    )
