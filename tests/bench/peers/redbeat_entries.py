"""``store`` the entries in Redis for redbeat; ``edit`` one and print when; ``forget`` them all."""

from __future__ import annotations

import sys
import time

from celery.schedules import schedule
from redbeat import RedBeatSchedulerEntry
from redbeat.schedulers import ensure_conf, get_redis

from tests.bench.peers.beat_app import app
from tests.bench.peers.entries import TASK, entries


def store() -> None:
    """Instead of those that are there."""
    forget()
    for entry in entries():
        made = RedBeatSchedulerEntry(
            entry.name, TASK, schedule(entry.seconds, app=app), options={"queue": entry.queue}, app=app
        )
        made.last_run_at = entry.last_run_at
        made.save()


def edit() -> None:
    """From fifty minutes to a second."""
    entry = RedBeatSchedulerEntry.from_key(RedBeatSchedulerEntry.generate_key(app, "edited"), app=app)
    entry.schedule = schedule(1, app=app)
    entry.save()
    print(time.time())


def forget() -> None:
    redis = get_redis(app)
    for key in redis.scan_iter(f"{app.conf.redbeat_key_prefix}*", count=1000):
        redis.delete(key)


if __name__ == "__main__":
    ensure_conf(app)
    {"store": store, "edit": edit, "forget": forget}[sys.argv[1]]()
