"""The scheduler that Celery beat runs: ``celery -A PROJECT beat``."""

from __future__ import annotations

from typing import Any

from celery import beat

from jobs import log
from jobs.beat.crew import Crew
from jobs.beat.loop import Loop
from jobs.conf import config
from jobs.startup import or_exit


class Scheduler(beat.Scheduler):
    """Hands Celery's ticks to the loop. Celery builds it twice; the lazy one, for the banner, opens nothing.

    One shard is led by the ticks themselves; of several each has a thread, and the ticks only see who leads which.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        with or_exit():
            self._loop: Loop | Crew = Loop() if config().shards == 1 else Crew()
        self._is_ticking = False
        super().__init__(*args, **options)

    def setup_schedule(self) -> None:
        """Called once the scheduler is really to run."""
        if ignored := sorted(self.app.conf.beat_schedule):
            log.warning("beat.schedule_ignored", entries=", ".join(ignored), mend="register them as jobs")

    def tick(self, *_: Any, **__: Any) -> float:
        """Do what is due and wait for what comes next, for at most about a second."""
        self._is_ticking = True
        try:
            self._loop.tick()
        finally:
            self._is_ticking = False
        return 0.0

    def close(self) -> None:
        """Step down and close. A signal handler calls it inside a tick, before it ends beat: that call does nothing,
        since the tick's statement is still in flight; Celery calls once more when the tick is over."""
        if not self._is_ticking:
            self._loop.close()

    def sync(self) -> None:
        """Nothing is kept in a file."""

    @property
    def info(self) -> str:
        return "    . jobs -> the database's table jobs_job"
