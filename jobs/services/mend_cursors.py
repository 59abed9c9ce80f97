"""Mend the cursors that nothing would ever look at again, whoever left them so."""

from __future__ import annotations

from jobs import log
from jobs.store import cursors

BATCH = 2000


def mend_cursors() -> int:
    """Let jobs without a cursor, and active jobs that wait for nothing, be planned; returns how many. A stretch of
    jobs a statement, each its own transaction."""
    total = 0
    last_job: int | None = 0
    while last_job is not None:
        last_job, mended = cursors.mend(after_job=last_job, batch=BATCH)
        for job_id in mended:
            log.warning("cursor.mended", job=job_id)
        total += len(mended)
    return total
