"""The demo's tasks: plain Celery, as team code would write them."""

from __future__ import annotations

import threading
from datetime import date, timedelta
from typing import Any

from celery import Task, shared_task
from django.db.models.functions import Now

from jobs import clock, current_run
from scheduler_project.demo import certificates, machine
from scheduler_project.demo.models import Report

_KEPT = timedelta(days=1)
_FAILURES = 2
_LATER_SECONDS = 75


@shared_task
def count_reports(day: str) -> dict[str, Any]:
    """Count what :func:`inspect_machine` found on a day."""
    found = Report.objects.filter(created_at__date=date.fromisoformat(day))
    return {"day": day, "reports": found.count()}


@shared_task
def inspect_machine() -> dict[str, Any]:
    """Store a report on this machine's disk, load, memory and trusted certificates; returns its summary."""
    data = {
        "disk": machine.disk(),
        "load": machine.load(),
        "memory": machine.memory(),
        "certificates": certificates.report(certificates.find_bundle(), clock.utcnow()),
    }
    run = current_run()
    if run is not None:
        Report.objects.get_or_create(run_key=str(run.key), defaults={"data": data})
    Report.objects.filter(created_at__lt=Now() - _KEPT).delete()
    return summary(data)


def summary(data: dict[str, Any]) -> dict[str, Any]:
    """What of a report is worth a line in the run's history."""
    found = data["certificates"]
    soonest = next((item for item in found.get("certificates", ()) if item["days_left"] >= 0), None)
    return {
        "disk_used_percent": data["disk"]["used_percent"],
        "load": data["load"]["averages"],
        "memory_used_percent": (data["memory"] or {}).get("used_percent"),
        "certificates": {key: found.get(key) for key in ("bundle", "count", "expired", "problem")},
        "next_to_expire": soonest,
    }


@shared_task(bind=True)
def fail_twice(self: Task[Any, Any]) -> str:
    """Fail on the first two attempts, as a flaky neighbour would, and then succeed."""
    if self.request.retries < _FAILURES:
        raise ConnectionError(f"Attempt {self.request.retries + 1} fails on purpose; the third succeeds.")
    return f"succeeded on attempt {self.request.retries + 1}"


@shared_task
def always_die() -> None:
    """Fail on every attempt: the run ends dead, with its errors kept, and can be replayed."""
    raise RuntimeError("This task always fails, to show what a dead run looks like.")


@shared_task(bind=True)
def ask_for_later(self: Task[Any, Any]) -> str:
    """Ask at first to go on later, as one does whose data is not there yet."""
    if self.request.retries == 0:
        raise self.retry(countdown=_LATER_SECONDS)
    return f"went on {_LATER_SECONDS} s later"


@shared_task
def rest(seconds: int) -> str:
    """Take so long, in slices: a body that only waits."""
    pause = threading.Event()
    for _ in range(seconds):
        pause.wait(1)
    return f"rested for {seconds} s"


@shared_task
def tick() -> str:
    """Do next to nothing."""
    return "tick"
