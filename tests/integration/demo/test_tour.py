"""The tour reads the live database and says what is there to be seen."""

from __future__ import annotations

from datetime import datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from jobs.domain.states import GapReason
from jobs.models import Job, JobRun, Leader, SlotGap
from jobs.store.clock import database_now
from jobs.store.runs import NewRun, insert_runs
from scheduler_project.demo.stops import STOPS
from scheduler_project.demo.tour import tour

pytestmark = pytest.mark.django_db
WEB = "http://127.0.0.1:8123"


@pytest.fixture(autouse=True)
def _laid_out(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    settings.BEATKEEPER = {"EGRESS_ALLOW": ["127.0.0.1/32"]}
    monkeypatch.setenv("BEATKEEPER_RECEIVER_URL", "http://127.0.0.1:8900")
    monkeypatch.setenv("BEATKEEPER_DEMO_SECRET", "whsec_" + "c2VjcmV0" * 4)
    monkeypatch.setenv("BEATKEEPER_WEB_URL", WEB)
    call_command("beatkeeper_demo", stdout=StringIO())


@pytest.fixture
def now() -> datetime:
    return database_now()


def add_run(name: str, at: datetime, **fields: Any) -> JobRun:
    job = Job.objects.get(name=name)
    insert_runs([NewRun(job_id=job.pk, scheduled_for=at, run_after=at, queue="jobs.default", max_attempts=5)])
    JobRun.objects.filter(job=job, scheduled_for=at).update(**fields)
    return JobRun.objects.get(job=job, scheduled_for=at)


def part(name: str) -> list[str]:
    """The lines about one job."""
    lines = list(tour(WEB))
    start = next(index for index, line in enumerate(lines) if line.startswith(f"{name}:"))
    return lines[start : start + 3]


def test_each_demo_job_has_its_part_with_a_page_that_opens(admin_client: Client, settings: Any, tmp_path: Any) -> None:
    settings.STATIC_ROOT = str(tmp_path)  # WhiteNoise wants its folder
    for stop in STOPS:
        line, seen, link = part(stop.job)
        assert line == f"{stop.job}: {stop.look}"
        assert seen.startswith("  seen: ")
        assert admin_client.get(link.strip().removeprefix(WEB)).status_code == 200


def test_runs_are_counted_and_the_newest_fitting_one_is_linked(now: datetime) -> None:
    ended = {"status": "succeeded", "finished_at": now}
    add_run("demo.fails-twice", now - timedelta(minutes=3), attempts=3, **ended)
    newest = add_run("demo.fails-twice", now - timedelta(minutes=2), attempts=3, **ended)
    add_run("demo.fails-twice", now - timedelta(minutes=1), attempts=1, **ended)
    add_run("demo.fails-twice", now - timedelta(hours=2), attempts=1, **ended)
    _, seen, link = part("demo.fails-twice")
    assert seen == "  seen: 2 retried then succeeded, 1 succeeded"
    assert link == f"  {WEB}/admin/jobs/jobrun/{newest.pk}/change/"


def test_a_run_that_waits_for_its_retry_is_told_from_one_that_is_only_queued(now: datetime) -> None:
    add_run("demo.asks-for-later", now - timedelta(minutes=1), attempts=1)
    add_run("demo.asks-for-later", now, attempts=0)
    assert part("demo.asks-for-later")[1] == "  seen: 1 queued, 1 waiting for a retry"


def test_gaps_are_told_with_their_reason(now: datetime) -> None:
    job = Job.objects.get(name="demo.paused")
    SlotGap.objects.create(
        job=job, after=now - timedelta(minutes=2), until=now, reason=GapReason.PAUSED, count=2, version=1
    )
    assert part("demo.paused")[1] == "  seen: a gap of 2 (paused)"


def test_what_is_not_there_yet_is_said() -> None:
    *_, verdict = tour(WEB)
    assert "Not to be seen yet: demo.machine-report, demo.fails-twice," in verdict
    assert "demo.paused" in verdict
    assert "demo.clock-change" not in verdict


def test_without_the_demo_it_says_so() -> None:
    Job.objects.update(archived_at=database_now())
    assert list(tour(WEB)) == ["\nThere are no demo jobs here: `make up` lays them out, once."]


def test_the_command_prints_while_a_beat_ticks_and_else_says_that_none_does(now: datetime) -> None:
    with pytest.raises(CommandError, match="no beat has ticked"):
        call_command("beatkeeper_tour", stdout=StringIO())
    Leader.objects.update_or_create(shard=0, defaults={"ticked_at": now})
    out = StringIO()
    call_command("beatkeeper_tour", stdout=out)
    assert f"  {WEB}/admin/jobs/job/" in out.getvalue()
