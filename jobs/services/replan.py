"""Plan anew when the rules of time zones have changed."""

from __future__ import annotations

from jobs import log
from jobs.domain.schedules import tzdata_version
from jobs.store import state
from jobs.store.cursors import mark_for_planning

BATCH = 2000


class ZoneRules:
    """Marks all cursors with a slot ahead for planning when another version of tzdata is installed, bit by bit."""

    def __init__(self) -> None:
        self._after_job = 0
        self._is_done = False
        self._known: str | None = None

    @property
    def is_open(self) -> bool:
        """Whether there may be cursors left to mark."""
        return not self._is_done

    def replan(self) -> int:
        """Mark the next stretch of cursors; 0 when all are done.

        A leader that dies on the way leaves the old version noted, and the next one starts over: marking is idempotent.
        Where none is noted nothing was ever planned.
        """
        if self._after_job == 0:
            self._known = state.get(state.TZDATA_VERSION)
        if self._known != tzdata_version():
            if self._known and self._mark():
                return 1
            self._note()
        self._is_done = True
        return 0

    def _mark(self) -> bool:
        last_job = mark_for_planning(after_job=self._after_job, batch=BATCH)
        self._after_job = last_job or self._after_job
        return last_job is not None

    def _note(self) -> None:
        state.put(state.TZDATA_VERSION, tzdata_version())
        if self._known:
            log.event("schedules.replanned", was=self._known, tzdata=tzdata_version())
