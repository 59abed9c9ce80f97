"""The lists: bounded work however much there is, and what they find."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from jobs.admin import paging
from jobs.domain.states import GapReason, RunStatus
from jobs.models import Job, JobCursor, JobRun, SlotGap
from jobs.store.clock import database_now
from tests.support.factories import make_job
from tests.support.job_history import make_run, plan

JOBS, RUNS, GAPS = "/admin/jobs/job/", "/admin/jobs/jobrun/", "/admin/jobs/slotgap/"


def shown(client: Client, address: str) -> list[Any]:
    return list(client.get(address).context["cl"].result_list)


@pytest.fixture
def many(db: None) -> Job:
    """More jobs, runs and gaps than a page holds."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO jobs_job (name, kind, cron, task) "
            "SELECT 'bulk-' || n, 'cron', '* * * * *', 'tests.noop' FROM generate_series(1, 300) n"
        )
        cursor.execute(
            "INSERT INTO jobs_jobrun (job_id, scheduled_for, due_at, run_after, queue) "
            "SELECT id, now(), now(), now(), 'jobs.default' FROM jobs_job"
        )
        cursor.execute(
            "INSERT INTO jobs_slotgap (job_id, after, until, reason, version) "
            "SELECT id, now() - interval '1 h', now(), 'paused', 1 FROM jobs_job"
        )
    return Job.objects.get(name="bulk-7")


def test_b123_every_page_does_a_bounded_number_of_queries(admin_client: Client, many: Job) -> None:
    Group.objects.bulk_create(Group(name=f"team {number}") for number in range(3))
    run = JobRun.objects.get(job=many)
    pages = (f"{JOBS}{many.pk}/change/", f"{JOBS}add/", f"{RUNS}{run.key}/change/")
    for address in (JOBS, RUNS, GAPS, f"{RUNS}?job={many.pk}", f"{RUNS}?q=bulk-7", *pages):
        with CaptureQueriesContext(connection) as queries:
            assert admin_client.get(address).status_code == 200
        assert len(queries) <= 30, address


def test_b123_no_box_lists_a_big_table(admin_client: Client, many: Job) -> None:
    run = JobRun.objects.get(job=many)
    for address in (f"{JOBS}{many.pk}/change/", f"{JOBS}add/", f"{RUNS}{run.key}/change/", RUNS, GAPS):
        assert b"bulk-8" not in admin_client.get(f"{address}").content.partition(b'id="result_list"')[0], address


def test_counting_stops_at_a_bound(admin_client: Client, many: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paging, "COUNT_CAP", 120)
    with CaptureQueriesContext(connection) as queries:
        content = admin_client.get(RUNS).content.decode()

    assert "over 120 " in content
    counts = [query["sql"] for query in queries if "COUNT(" in query["sql"]]
    assert counts
    assert all("LIMIT 121" in sql for sql in counts)


def test_jobs_are_found_by_how_their_name_begins(admin_client: Client) -> None:
    for name in ("alpha-one", "alpha-two", "not-alpha", "al_ha"):
        make_job(name=name)

    assert [job.name for job in shown(admin_client, f"{JOBS}?q=Alpha")] == ["alpha-one", "alpha-two"]
    assert [job.name for job in shown(admin_client, f"{JOBS}?q=al_")] == ["al_ha"]


def test_archived_jobs_are_shown_only_when_asked_for(admin_client: Client) -> None:
    living, archived = make_job(), make_job()
    Job.objects.filter(pk=archived.pk).update(archived_at=database_now())

    assert shown(admin_client, JOBS) == [living]
    assert shown(admin_client, f"{JOBS}?state=archived") == [archived]


def test_jobs_are_filtered_by_state_and_kind(admin_client: Client) -> None:
    now = database_now()
    jobs = {
        "active": make_job(paused=True, paused_until=now + timedelta(hours=1)),
        "paused": make_job(paused=True),
        "disabled": make_job(enabled=False, kind="manual"),
        "parked": make_job(),
    }
    Job.objects.filter(pk=jobs["active"].pk).update(paused_until=now - timedelta(hours=1))  # its pause has passed
    JobCursor.objects.filter(pk=jobs["parked"].pk).update(error="minute 61 is outside 0-59")

    for state, job in jobs.items():
        assert shown(admin_client, f"{JOBS}?state={state}") == [job]
    assert shown(admin_client, f"{JOBS}?kind=manual") == [jobs["disabled"]]
    assert "minute 61 is outside" in admin_client.get(JOBS).content.decode()


def test_a_job_shows_its_schedule_in_words_its_next_slot_and_its_last_run(admin_client: Client) -> None:
    job = make_job(cron="0 9 * * 1-5", timezone="Europe/Berlin")
    plan(job, next_run_at=datetime(2027, 7, 1, 7, tzinfo=UTC))
    make_run(job, RunStatus.DEAD, scheduled_for=database_now() - timedelta(hours=1))
    make_run(job, RunStatus.SUCCEEDED)
    make_run(job, scheduled_for=database_now() + timedelta(days=3))  # asked for a later time: not the last
    content = admin_client.get(JOBS).content.decode()

    assert "At 09:00 on Monday to Friday, Europe/Berlin" in content
    assert "2027-07-01 09:00:00 +02:00" in content
    assert "07:00:00 UTC" in content
    last_run = content.partition('class="jobs-last-run"')[2].partition("</a>")[0]
    assert "succeeded" in last_run


def test_a_job_whose_cursor_was_lost_is_shown_as_parked(admin_client: Client) -> None:
    job = make_job()
    JobCursor.objects.filter(pk=job.pk).delete()
    for address in (JOBS, f"{JOBS}{job.pk}/change/"):
        assert b"jobs_cursor is missing" in admin_client.get(address).content


def test_b085_the_next_slot_of_an_unplanned_job_is_the_one_the_leader_will_plan(admin_client: Client) -> None:
    """I7: what is shown right after saving is what then happens."""
    make_job(kind="once", cron="", once_at=datetime(2099, 5, 1, 12, tzinfo=UTC))
    assert "2099-05-01 12:00:00 UTC" in admin_client.get(JOBS).content.decode()


def test_runs_come_newest_first_and_of_the_last_two_days(admin_client: Client) -> None:
    job, now = make_job(), database_now()
    old = make_run(job, scheduled_for=now - timedelta(days=3))
    first, second = make_run(job), make_run(job)

    assert shown(admin_client, RUNS) == [second, first]
    assert shown(admin_client, f"{RUNS}?since=7d") == [second, first, old]
    assert shown(admin_client, f"{RUNS}?since=all&job={job.pk}") == [second, first, old]


def test_runs_are_filtered_by_status_and_job(admin_client: Client) -> None:
    job = make_job()
    queued, running, dead = make_run(job), make_run(job, RunStatus.RUNNING), make_run(make_job(), RunStatus.DEAD)

    assert shown(admin_client, f"{RUNS}?status=queued") == [queued]
    assert shown(admin_client, f"{RUNS}?status=running") == [running]
    assert shown(admin_client, f"{RUNS}?job={dead.job_id}") == [dead]
    assert shown(admin_client, f"{RUNS}?job=nonsense") == []


def test_runs_are_found_by_key_at_any_age_and_by_the_jobs_whole_name(admin_client: Client) -> None:
    job = make_job(name="report")
    old = make_run(job, scheduled_for=database_now() - timedelta(days=20))
    new = make_run(job)

    assert shown(admin_client, f"{RUNS}?q={old.key}") == [old]
    assert shown(admin_client, f"{RUNS}?q=report") == [new]
    assert shown(admin_client, f"{RUNS}?q=rep") == []
    assert shown(admin_client, f"{RUNS}?q=1-{10**19}") == []


def test_the_run_list_does_not_read_results_and_logs(admin_client: Client) -> None:
    make_run(make_job(), RunStatus.SUCCEEDED, result={"big": "x"}, log="x", errors=[{}])
    with CaptureQueriesContext(connection) as queries:
        admin_client.get(RUNS)

    listed = [query["sql"] for query in queries if 'FROM "jobs_jobrun"' in query["sql"]]
    assert any('"jobs_jobrun"."status"' in sql for sql in listed)
    assert not any('"log"' in sql or '"result"' in sql or '"errors"' in sql for sql in listed)


def test_gaps_say_how_many_slots_did_not_run_and_why(admin_client: Client) -> None:
    job, now = make_job(name="report"), database_now()
    for number, (reason, count, capped) in enumerate(
        [(GapReason.PAUSED, 24, False), (GapReason.CATCH_UP, 10_000, True), (GapReason.EDITED, None, False)]
    ):
        until = now - timedelta(hours=number)
        SlotGap.objects.create(
            job=job,
            after=until - timedelta(minutes=9),
            until=until,
            reason=reason,
            count=count,
            is_capped=capped,
            version=1,
        )
    content = admin_client.get(f"{GAPS}?job={job.pk}").content.decode()

    for words in ("the job was paused", ">24<", "≥ 10,000", "not counted yet"):
        assert words in content
    assert len(shown(admin_client, f"{GAPS}?q=report")) == 3
    assert len(shown(admin_client, f"{GAPS}?reason=edited")) == 1


@pytest.mark.parametrize("model", ["jobrun", "slotgap", "leader", "marker"])
def test_what_the_platform_writes_is_read_only(admin_client: Client, model: str) -> None:
    assert admin_client.get(f"/admin/jobs/{model}/").status_code == 200
    assert admin_client.get(f"/admin/jobs/{model}/add/").status_code == 403


def test_reading_the_lists_writes_nothing(admin_client: Client) -> None:
    """I8."""
    make_run(make_job())
    with CaptureQueriesContext(connection) as queries:
        for address in (JOBS, RUNS, GAPS):
            admin_client.get(address)
    assert [query["sql"] for query in queries if not query["sql"].startswith(("SELECT", "--"))] == []


def test_a_team_is_found_by_typing(admin_client: Client) -> None:
    Group.objects.create(name="finance")
    answer = admin_client.get(
        "/admin/autocomplete/", {"term": "fin", "app_label": "jobs", "model_name": "job", "field_name": "team"}
    )
    assert [found["text"] for found in answer.json()["results"]] == ["finance"]


def test_pages_speak_of_runs_and_gaps_under_our_name(admin_client: Client) -> None:
    for model, words in (("jobrun", "Select run to view"), ("slotgap", "Select gap to view")):
        page = admin_client.get(f"/admin/jobs/{model}/").content.decode()
        assert words in page
        assert "| Beatkeeper</title>" in page


def test_a_job_can_be_looked_at_without_the_permission_to_change_it(member: Callable[..., Client]) -> None:
    page = member("view_job").get(f"/admin/jobs/job/{make_job(name='nightly').pk}/change/").content.decode()
    assert "nightly" in page
    assert 'name="_save"' not in page
