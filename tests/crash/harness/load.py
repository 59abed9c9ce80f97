"""Steady load: jobs by interval and cron, and runs asked for by hand, at a chosen rate."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.crash.harness import asker
from tests.crash.harness.live import Live
from tests.crash.harness.window import Window

_ANCHOR = datetime(2026, 1, 1, tzinfo=UTC)
BY_HAND = "by-hand"


class Load:
    """Jobs that fire while this goes on. ``window`` reaches from its start to its end, or to now."""

    def __init__(self, live: Live) -> None:
        self.live = live
        self.after = live.now()
        self.until: datetime | None = None
        self._asker: subprocess.Popen[bytes] | None = None

    @property
    def window(self) -> Window:
        return Window(self.after, self.until or self.live.now())

    def every(self, seconds: int, *, jobs: int = 1, **fields: Any) -> None:
        """Jobs that fire every so many seconds, a run each."""
        for number in range(jobs):
            name = f"every-{seconds}-{fields.get('queue', 'default')}-{number}"
            self.live.save_job(name, kind="interval", interval_seconds=seconds, anchor_at=_ANCHOR, **fields)

    def minutely(self, *, jobs: int = 1, **fields: Any) -> None:
        """Jobs that fire each minute, by cron."""
        for number in range(jobs):
            self.live.save_job(f"minutely-{number}", kind="cron", cron="* * * * *", **fields)

    def by_hand(self, per_second: float, **fields: Any) -> None:
        """Have runs of a manual job asked for by a process of its own, which outlives every fault."""
        self.live.save_job(BY_HAND, **fields)
        command = [sys.executable, "-m", asker.__name__, BY_HAND, str(per_second)]
        self._asker = self.live.start("asker", command, **{asker.ASKED: str(asked_file(self.live))})

    def end(self) -> None:
        """Nothing more becomes due. What is due by now still runs."""
        if self._asker:
            self.live.end(self._asker)
        self.live.sql("UPDATE jobs_job SET enabled = false WHERE enabled")
        self.until = self.live.now()


@contextmanager
def steady(live: Live, *, per_second: int = 2, by_hand: float = 1, **fields: Any) -> Iterator[Load]:
    """So many scheduled runs a second, one by cron each minute, and runs by hand; it ends with the block."""
    load = Load(live)
    load.every(1, jobs=per_second, **fields)
    load.minutely(**fields)
    if by_hand:
        load.by_hand(by_hand, **fields)
    yield load
    load.end()


def asked_file(live: Live) -> Path:
    """Where the asker notes the keys of the runs it was promised."""
    return live.folder / "asked"


def asked_keys(live: Live) -> set[str]:
    """The keys of the runs that were promised so far."""
    file = asked_file(live)
    return set(file.read_text().split()) if file.exists() else set()
