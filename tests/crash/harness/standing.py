"""Check 3: nothing stands still. No lease is over for long, and no due run waits unsent beside a worker."""

from __future__ import annotations

from collections.abc import Iterator

from jobs.domain.messages import RunKey
from tests.crash.harness.live import Live

LEASE_OVER = "a lease that is over for 45 s"
UNSENT = "due and unsent for 60 s while a worker consumes"
_STALE = """
    SELECT job_id, scheduled_for FROM jobs_jobrun
    WHERE status = 'running' AND locked_until < clock_timestamp() - interval '45 seconds'
"""
_WAITING = """
    SELECT job_id, scheduled_for FROM jobs_jobrun
    WHERE status = 'queued' AND dispatched_at IS NULL AND run_after < clock_timestamp() - interval '60 seconds'
      AND queue = ANY(%s)
"""


def faults(live: Live) -> Iterator[tuple[str, str]]:
    """Run keys, each with what is wrong."""
    for row in live.sql(_STALE):
        yield str(RunKey(*row)), f"is running with {LEASE_OVER}"
    consumed = [name for name, queue in live.servers.broker.queues(live.vhost).items() if queue.get("consumers")]
    for row in live.sql(_WAITING, consumed):
        yield str(RunKey(*row)), f"is {UNSENT}"
