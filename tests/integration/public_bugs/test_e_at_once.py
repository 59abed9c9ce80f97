"""What is written is seen at once: by the leader's next tick, and on the page before it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from jobs.admin.job_list import where_it_stands
from jobs.models import Job, JobRun
from jobs.services.archive import archive
from jobs.store.terms import Term
from tests.support.elsewhere import sql
from tests.support.leading import cursor_of, emit, job_at, set_clock, slots
from tests.support.times import HOUR, MINUTE, NOON, SECOND
from tests.support.writing import WAYS, Write

ENDS: dict[str, Callable[[Job], object]] = {
    "archived": archive,
    "deleted by the ORM": lambda job: job.delete(),
    "deleted with others": lambda job: Job.objects.filter(pk=job.pk).delete(),
    "archived by SQL": lambda job: sql("UPDATE jobs_job SET archived_at = jobs_now() WHERE id = %s", job.pk),
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_b079_a_job_that_is_gone_has_no_slot_after_that_and_its_history_stays(
    term: Term, end: Callable[[Job], object]
) -> None:
    job, other = job_at(NOON - MINUTE), job_at(NOON - MINUTE)
    emit(term, NOON)
    job_id = job.pk
    set_clock(NOON + 30 * SECOND)
    end(job)
    for minute in (1, 2):
        emit(term, NOON + minute * MINUTE)
    assert list(JobRun.objects.filter(job_id=job_id).values_list("scheduled_for", flat=True)) == [NOON]
    assert slots(other) == [NOON, NOON + MINUTE, NOON + 2 * MINUTE]


@pytest.mark.parametrize("write", WAYS.values(), ids=WAYS)
def test_b085_the_next_slot_shown_after_an_edit_is_the_one_that_then_comes(
    term: Term, admin_client: Client, monkeypatch: pytest.MonkeyPatch, write: Write
) -> None:
    monkeypatch.setattr("jobs.clock.utcnow", lambda: NOON + 31 * SECOND)
    job = job_at(NOON - HOUR, cron="0 * * * *")
    emit(term, NOON)
    write(admin_client, job, NOON + 30 * SECOND, {"cron": "15 * * * *"})
    pages = ["/admin/jobs/job/", f"/admin/jobs/job/{job.pk}/change/"]
    before = [admin_client.get(page).content.decode() for page in pages]
    emit(term, NOON + 31 * SECOND)
    after = [admin_client.get(page).content.decode() for page in pages]
    for content in (*before, *after):
        assert "12:15:00" in content
        assert "13:00:00" not in content
    emit(term, NOON + 15 * MINUTE)
    assert slots(job) == [NOON, NOON + 15 * MINUTE]
    write(admin_client, job, NOON + 16 * MINUTE, {"enabled": False})
    job.refresh_from_db()
    assert where_it_stands(job).next_slot is cursor_of(job).next_run_at is None
