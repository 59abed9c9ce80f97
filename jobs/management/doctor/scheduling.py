"""Whether slots become runs, and runs end."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from jobs.conf import config
from jobs.domain.schedules import tzdata_version
from jobs.management.doctor.finding import Finding, fault, ok, warn
from jobs.models import JobCursor, Leader
from jobs.services.queues import queue_warning
from jobs.store import state
from jobs.store.clock import database_now
from jobs.store.installation import stuck_runs, unserved_queues

_LATELY = timedelta(seconds=30)
_START_BEAT = "Start one: celery -A PROJECT beat."
_SHOWN = 5


def findings() -> Iterator[Finding]:
    """Leaders, zones, parked jobs, queues, stuck runs."""
    yield from _leaders()
    yield _zones()
    yield _parked()
    yield from _queues()
    yield from _stuck()


def _leaders() -> Iterator[Finding]:
    horizon = database_now() - _LATELY
    leaders = {leader.shard: leader for leader in Leader.objects.all()}
    for shard in range(config().shards):
        leader = leaders.get(shard)
        if leader is None or leader.ticked_at is None:
            yield fault("leader", f"Shard {shard} never had a leader: no slot becomes a run.", _START_BEAT)
        elif leader.ticked_at < horizon:
            yield fault(
                "leader",
                f"The leader of shard {shard} on {leader.host} last ticked at {leader.ticked_at:%Y-%m-%d %H:%M:%SZ}.",
                f"See beat's log there. {_START_BEAT}",
            )
        else:
            yield ok("leader", f"Shard {shard} is led from {leader.host}, term {leader.term}.")


def _zones() -> Finding:
    theirs, ours = state.get(state.TZDATA_VERSION), tzdata_version()
    if theirs is not None and theirs != ours:
        return warn(
            "tzdata",
            f"The leader plans by time zone rules {theirs}; here {ours} are installed: previews may differ.",
            "Install the same version of the package tzdata everywhere and start again.",
        )
    return ok(
        "tzdata", f"Time zone rules {ours}" + (", as the leader's." if theirs else "; no leader has planned yet.")
    )


def _parked() -> Finding:
    parked = JobCursor.objects.exclude(error="").filter(job__archived_at=None).order_by("job_id")
    names = list(parked.values_list("job__name", flat=True)[: _SHOWN + 1])
    if names:
        shown = ", ".join(names[:_SHOWN]) + (" and more" if len(names) > _SHOWN else "")
        return warn("parked jobs", f"Parked: {shown}.", "manage.py jobs show NAME tells why; an edit unparks.")
    return ok("parked jobs", "No job is parked.")


def _queues() -> Iterator[Finding]:
    for queue in config().queues:
        if problem := queue_warning(queue):
            yield warn("queues", problem, "Where no job uses this queue, nothing need be done.")
        else:
            yield ok("queues", f"Queue {queue} has a worker.")
    for queue in unserved_queues(config().queues, limit=_SHOWN):
        yield warn(
            "queues",
            f"Runs wait in queue {queue}, which the settings do not name: nobody sends or takes them.",
            f'Add it to BEATKEEPER["QUEUES"] and start a worker (-Q {queue}), or edit their jobs and cancel the runs.',
        )


def _stuck() -> Iterator[Finding]:
    counts = stuck_runs()
    if counts.not_reaped:
        yield fault("stuck runs", f"{counts.not_reaped} run(s) have a lease that ended 2 minutes ago.", _START_BEAT)
    if counts.not_sent:
        yield warn(
            "stuck runs",
            f"{counts.not_sent} run(s) are due for 5 minutes and not sent.",
            "Either the queue's window is full and more workers help, or the broker is away: see beat's log.",
        )
    if counts.not_claimed:
        yield warn("stuck runs", f"{counts.not_claimed} run(s) were sent 15 minutes ago and not taken.", "Add workers.")
    if not any(counts):
        yield ok("stuck runs", "No run is stuck.")
