"""Announce: make a run of ``system.webhook`` for each ended run whose end an endpoint is to be told of.

The webhook's run and the mark on the run that has ended commit together, on rows that are locked: one end has exactly
one webhook, whoever dies when. A replay takes the mark away again, so that the next end is told too. Which ends are to
be told is seen from the rows alone, however they came about.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db import transaction

from jobs import log
from jobs.domain.built_in import SOURCE, WEBHOOK_JOB, WEBHOOK_TASK
from jobs.domain.messages import RunKey
from jobs.domain.run_request import MICROSECOND, slot_for
from jobs.domain.states import Trigger
from jobs.models import Job
from jobs.services.reap import window
from jobs.services.run import insert_free, new_run
from jobs.store.clock import database_now
from jobs.store.runs import NewRun, insert_runs
from jobs.store.terms import Term, fence
from jobs.store.unannounced import EndedRun, lock_unannounced, mark_announced

BATCH = 500
_AS_MADE: dict[str, Any] = {
    "description": "Tells endpoints of the ends of runs. Built in; its retries, queue and limits may be changed.",
    # Some three hours of tries, so that a receiver may be away for a while.
    "max_attempts": 15,
    "backoff_base_seconds": 5.0,
    "backoff_cap_seconds": 3600.0,
}


def announce(term: Term, *, everywhere: bool = False) -> int:
    """Announce up to 500 ends, oldest first; returns how many. LeadershipLostError when the term is over."""
    now = database_now()
    lo, hi = window(now, everywhere=everywhere)
    with transaction.atomic():
        fence(term)
        ended = lock_unannounced(lo=lo, hi=hi, limit=BATCH)
        if ended:
            _insert(list(_webhook_runs(ended, now)))
            mark_announced(ended)
    if ended:
        log.event("runs.announced", runs=len(ended), first=ended[0].key)
    return len(ended)


def _webhook_runs(ended: Sequence[EndedRun], now: datetime) -> Iterator[NewRun]:
    job, slot = _webhook_job(), now
    for run in ended:
        slot = slot_for(slot, is_named=False)
        told = {"run": str(run.key), "end": run.token, "endpoint": run.webhook_id}
        yield replace(new_run(job, slot, now, Trigger.DEPENDENCY), payload={"kwargs": told})
        slot += MICROSECOND


def _insert(runs: Sequence[NewRun]) -> None:
    """Insert them all; one whose instant someone else took goes to the next free one."""
    inserted = insert_runs(runs)
    for run in runs:
        if RunKey(run.job_id, run.scheduled_for) not in inserted:
            insert_free(run)


def _webhook_job() -> Job:
    """The built-in job, which the first webhook of an installation makes."""
    job = Job.objects.living().filter(name=WEBHOOK_JOB).first()
    if job is None:
        job = Job(name=WEBHOOK_JOB, kind="manual", task=WEBHOOK_TASK, source=SOURCE, **_AS_MADE)
        job.save()
        log.event("job.created", job=job.name, source=SOURCE)
    return job
