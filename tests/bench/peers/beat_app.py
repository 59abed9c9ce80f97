"""The app of the peers' beats. ``PEER_IN_CONFIG`` puts the entries into Celery's own ``beat_schedule``."""

from __future__ import annotations

import os

from celery.schedules import schedule

from tests.bench.peers.entries import DUE, EDITED, FIRST, TASK, entries
from tests.bench.plain_app import app, quorum_queue

QUEUES = [quorum_queue(name) for name in (DUE, FIRST, EDITED)]

app.conf.update(
    task_queues=QUEUES,
    timezone="UTC",
    redbeat_redis_url=os.environ.get("REDIS_URL"),
    redbeat_key_prefix=os.environ.get("PEER_KEYS", "bench:"),
)
if "PEER_IN_CONFIG" in os.environ:
    app.conf.beat_schedule = {
        entry.name: {
            "task": TASK,
            "schedule": schedule(entry.seconds),
            "options": {"queue": entry.queue},
            "last_run_at": entry.last_run_at,
        }
        for entry in entries()
    }
