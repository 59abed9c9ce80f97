"""``store`` the entries as rows of django-celery-beat; ``edit`` one and print when."""

from __future__ import annotations

import sys
import time

import django

django.setup()

from django_celery_beat.models import IntervalSchedule, PeriodicTask, PeriodicTasks  # noqa: E402  # needs Django set up

from tests.bench.peers.entries import TASK, entries  # noqa: E402


def store() -> None:
    """Instead of those that are there."""
    PeriodicTask.objects.all().delete()
    rows = [
        PeriodicTask(
            name=entry.name,
            task=TASK,
            queue=entry.queue,
            interval=_every(entry.seconds),
            last_run_at=entry.last_run_at,
        )
        for entry in entries()
    ]
    PeriodicTask.objects.bulk_create(rows)
    PeriodicTasks.update_changed()


def edit() -> None:
    """From fifty minutes to a second."""
    task = PeriodicTask.objects.get(name="edited")
    task.interval = _every(1)
    task.save()
    print(time.time())


def _every(seconds: int) -> IntervalSchedule:
    return IntervalSchedule.objects.get_or_create(every=seconds, period=IntervalSchedule.SECONDS)[0]


if __name__ == "__main__":
    {"store": store, "edit": edit}[sys.argv[1]]()
