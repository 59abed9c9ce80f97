"""The beats that are measured side by side: ours, and those of the peers, with the same work."""

from __future__ import annotations

import subprocess
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from tests.bench.peers.entries import DUE, EDITED, FIRST, PERIOD
from tests.bench.peers.environment import Peers
from tests.support.stack import Stack

OUR_QUEUES = ("jobs.fast", "bench.first", "bench.edited")
PEER_QUEUES = (DUE, FIRST, EDITED)
_DUE_JOBS = """
INSERT INTO jobs_job (name, kind, interval_seconds, anchor_at, task, queue)
SELECT 'due-' || %s || '-' || n, 'interval', %s, %s, 'tests.support.bodies.noop', %s FROM generate_series(1, %s) n
"""


class Beat(Protocol):
    """A beat. ``queues``: of the many entries due at one instant, of the overdue one, of the edited one."""

    name: str
    queues: tuple[str, str, str]

    def store(self, count: int, at: int) -> None:
        """Store entries due at an instant, and the other two; forget earlier ones."""

    def start(self) -> subprocess.Popen[bytes]:
        """Start the process."""

    def edit(self) -> float | None:
        """Make the edited entry due each second; when that was done. None when a running beat takes no edit."""


@dataclass(slots=True)
class Ours:
    """Beatkeeper's."""

    live: Stack
    name: str = "Beatkeeper"
    queues: tuple[str, str, str] = OUR_QUEUES

    def store(self, count: int, at: int) -> None:
        due, first, edited = self.queues
        anchor = datetime.fromtimestamp(at - PERIOD, UTC)
        self.live.sql("UPDATE jobs_job SET enabled = false, archived_at = now()")
        self.live.sql(_DUE_JOBS, count, PERIOD, anchor, due, count)
        self._save("first", first, 1, anchor)
        self._save("edited", edited, 10 * PERIOD, anchor)
        self.live.sql("ANALYZE jobs_job, jobs_cursor")

    def start(self) -> subprocess.Popen[bytes]:
        return self.live.celery("beat", "beat", level="WARNING")

    def edit(self) -> float | None:
        self.live.sql("UPDATE jobs_job SET interval_seconds = 1 WHERE name = 'edited' AND archived_at IS NULL")
        return time.time()

    def _save(self, name: str, queue: str, seconds: int, anchor: datetime) -> None:
        fields = {"interval_seconds": seconds, "anchor_at": anchor, "queue": queue}
        self.live.save_job(name, kind="interval", task="tests.support.bodies.noop", **fields)


class _Peer:
    """A beat of Celery's with a scheduler class; ``module`` stores its entries."""

    queues = PEER_QUEUES
    name = scheduler = module = settings = ""

    def __init__(self, peers: Peers) -> None:
        self.peers = peers
        self._variables = {
            "PEER_KEYS": f"{peers.database_url.rpartition('/')[2]}:",
            "DJANGO_SETTINGS_MODULE": self.settings,
        }

    def store(self, count: int, at: int) -> None:
        self._variables.update(PEER_ENTRIES=str(count), PEER_AT=str(at))
        self.peers.run(self.module, "store", **self._variables)

    def start(self) -> subprocess.Popen[bytes]:
        beat = ["celery", "-A", "tests.bench.peers.beat_app", "beat", "-S", self.scheduler, "--pidfile=", *self._more()]
        return self.peers.start("peer", *beat, "-l", "WARNING", **self._variables)

    def edit(self) -> float | None:
        return float(self.peers.run(self.module, "edit", **self._variables))

    def _more(self) -> tuple[str, ...]:
        return ()


class Redbeat(_Peer):
    """Entries in Redis, those due found by a sorted set."""

    name, scheduler, module = "redbeat", "redbeat.RedBeatScheduler", "tests.bench.peers.redbeat_entries"

    def forget(self) -> None:
        """Leave nothing in Redis, which others may use too."""
        self.peers.run(self.module, "forget", **self._variables)


class DjangoCeleryBeat(_Peer):
    """Entries as rows of Django's."""

    name, scheduler, module = "django-celery-beat", "django", "tests.bench.peers.row_entries"
    settings = "tests.bench.peers.settings"


class CeleryBeat(_Peer):
    """Entries in the configuration: nothing to store, and an edit takes a new start."""

    name, scheduler = "Celery beat", "celery.beat.PersistentScheduler"

    def store(self, count: int, at: int) -> None:
        self._variables.update(PEER_ENTRIES=str(count), PEER_AT=str(at), PEER_IN_CONFIG="yes")
        self._file = self.peers.live.folder / f"schedule-{count}-{at}"

    def edit(self) -> float | None:
        return None

    def _more(self) -> tuple[str, ...]:
        return ("-s", str(self._file))
