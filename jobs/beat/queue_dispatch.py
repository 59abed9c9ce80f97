"""What the dispatcher knows of one queue: what is on its way, the room in the window, when a marker is due.

A run is in one of three places, and read from the database only while it is in none: prepared (read while the batch
before it awaits confirms), under way, held (confirmed, to be marked). Where a step fails, what it had is read again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime

from jobs.broker.encoding import Content
from jobs.clock import monotonic
from jobs.conf import config
from jobs.services import dispatch, mark
from jobs.services.dispatch import Outgoing
from jobs.store.unsent import Horizon, Share, count_unclaimed

_BATCH_MAX = 500
_BATCH_BYTES_MAX = 1_000_000
_ROOM_KEPT_SECONDS = 1.0
_FRESH_SECONDS = 1.0
_SELDOM = 4  # how much rarer markers are sent while none comes back


class QueueDispatch:
    """Composes the queue's batches and marks what the broker holds."""

    def __init__(self, queue: str, share: Share) -> None:
        self.queue = queue
        self._share = share
        self._under_way: list[Outgoing] = []
        self._held: list[Outgoing] = []
        self._prepared: list[Outgoing] = []
        self._prepared_at = 0.0
        self._batch_max = _BATCH_MAX
        self._room = 0
        self._room_counted_at = 0.0
        # A marker speaks of all that stands before it, whoever sent that: one shard's dispatcher sends them.
        self._marker_due_at = 0.0 if share.is_first else math.inf

    def probe(self, *, is_due: bool) -> list[Content]:
        """One marker to try a queue that was broken with, when there is anything to send."""
        self._under_way, self._prepared = [], []
        return [self._marker()] if is_due or self._is_marker_due else []

    def batch(self, horizon: Horizon, *, is_due: bool) -> list[Content]:
        """The messages to publish now: runs as far as the window has room, and a marker when it is due."""
        self._under_way = []
        if is_due:
            self._under_way = self._select(horizon)
        return self._with_marker()

    def prepare(self, horizon: Horizon) -> None:
        """Read the batch after this one while the broker has it, so that neither waits for the other."""
        self._prepared = self._select(horizon)
        self._prepared_at = monotonic()

    def prepared_batch(self) -> list[Content]:
        """What was prepared, if it is fresh: of an older one too much may have been sent by others since."""
        is_fresh = monotonic() - self._prepared_at < _FRESH_SECONDS
        self._under_way, self._prepared = self._prepared if is_fresh else [], []
        return self._with_marker() if self._under_way else []

    @property
    def wants_more(self) -> bool:
        """Whether the batch under way is a full one, and the one after it has not been read."""
        return len(self._under_way) >= self._batch_max and not self._prepared

    def _with_marker(self) -> list[Content]:
        markers = [self._marker()] if self._is_marker_due else []
        return [run.content for run in self._under_way] + markers

    @property
    def oldest_slot(self) -> datetime | None:
        """The oldest slot under way."""
        return min((run.key.scheduled_for for run in self._under_way), default=None)

    def confirm(self, held: Sequence[bool]) -> None:
        """Take over the broker's answer to the last batch."""
        # a marker at the batch's end, or a probe, has no run
        self._held += [run for run, is_held in zip(self._under_way, held, strict=False) if is_held]
        self._under_way = []

    def mark(self) -> int:
        """Mark what the broker holds; returns how many runs that changed. What cannot be is kept and tried again."""
        if not self._held:
            return 0
        marked = dispatch.mark(self._held)
        self._held = marked.held
        self._room -= marked.runs
        return marked.runs

    def _select(self, horizon: Horizon) -> list[Outgoing]:
        out = [run.key for run in (*self._under_way, *self._held)]
        limit = min(self._batch_max, self._count_room(horizon) - len(out))
        if limit <= 0:
            return []
        return self._fitting(
            dispatch.select_unsent(self.queue, limit=limit, horizon=horizon, but=out, share=self._share)
        )

    def _count_room(self, horizon: Horizon) -> int:
        if self._room <= 0 or monotonic() - self._room_counted_at > _ROOM_KEPT_SECONDS:
            window = config().shard_window
            self._room = window - count_unclaimed(self.queue, limit=window, horizon=horizon, share=self._share)
            self._room_counted_at = monotonic()
        return self._room

    def _fitting(self, runs: list[Outgoing]) -> list[Outgoing]:
        """As many as make a batch of bounded size; the next selection reads no more than that."""
        size = 0
        for count, run in enumerate(runs):
            size += len(run.content.body)
            if size > _BATCH_BYTES_MAX and count:
                self._batch_max = count
                return runs[:count]
        self._batch_max = min(_BATCH_MAX, self._batch_max * 2)
        return runs

    @property
    def _is_marker_due(self) -> bool:
        return monotonic() >= self._marker_due_at

    def _marker(self) -> Content:
        sent = mark.record_sent(self.queue)
        if self._share.is_first:
            self._marker_due_at = monotonic() + config().marker * (1 if sent.is_coming_back else _SELDOM)
        return sent.content
