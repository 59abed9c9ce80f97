"""Whether slots become runs, and runs end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from jobs.conf import config
from jobs.domain.problems import Code
from jobs.management.doctor.finding import Finding, of_problem, ok, warn
from jobs.models import JobCursor
from jobs.services.platform import PlatformStatus, platform_status
from jobs.services.queues import queue_warning
from jobs.store.shards import has_cursors_beyond

_SHOWN = 5
# A subject's name, and the problems that it has or has not.
_SUBJECTS: Mapping[str, Sequence[Code]] = {
    "leader": (Code.LEADER_MISSING, Code.LEADER_SILENT, Code.EMISSION_LATE),
    "dispatcher": (Code.DISPATCHER_SILENT, Code.BROKER_AWAY, Code.BROKER_BLOCKED, Code.QUEUE_REFUSED),
    "tzdata": (Code.TZDATA_DIFFERS,),
    "shards": (Code.SHARDS_DIFFER,),
    "stuck runs": (Code.STUCK_RUNS, Code.WORK_UNSENT, Code.WORK_UNCLAIMED, Code.QUEUE_BEHIND),
    "unknown queues": (Code.QUEUE_UNKNOWN,),
}


def findings() -> Iterator[Finding]:
    """What the platform says of itself, by subject; then parked jobs, and queues without a worker."""
    status = platform_status()
    for subject, codes in _SUBJECTS.items():
        found = [problem for problem in status.problems if problem.code in codes]
        yield from (of_problem(subject, problem) for problem in found)
        if not found:
            yield ok(subject, _all_is_well(subject, status))
    yield from _stranded(status)
    yield _parked()
    yield from _queues()


def _all_is_well(subject: str, status: PlatformStatus) -> str:
    facts = status.facts
    match subject:
        case "leader":
            return " ".join(f"Shard {one.shard} is led from {one.host}, term {one.term}." for one in facts.shards)
        case "dispatcher":
            return f"The broker as the leader's dispatcher sees it: {facts.broker.state}."
        case "tzdata":
            known = ", as the leader's." if facts.zone_rules.leader else "; no leader has planned yet."
            return f"Time zone rules {facts.zone_rules.here}{known}"
        case "shards":
            return f"The jobs are divided into {facts.shard_numbers.written}, as the settings say."
        case "stuck runs":
            return "No run is stuck."
        case _:
            return "Every queue that runs wait in is one of the settings'."


def _stranded(status: PlatformStatus) -> Iterator[Finding]:
    shards = status.facts.shard_numbers.written
    if has_cursors_beyond(shards):
        text = f"Jobs stand in shards above the {shards} there are: nobody leads those, their slots wait."
        yield warn("shards", text, f"Beat moves them within seconds; see whether it runs. Or jobs reshard {shards}.")


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
