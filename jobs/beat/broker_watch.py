"""Tell other processes how the dispatcher finds the broker: none of them speaks with it as the leader does."""

from __future__ import annotations

import math
from collections.abc import Sequence

from jobs.broker.publisher import Publisher
from jobs.clock import monotonic
from jobs.domain.platform import BrokerState
from jobs.store.broker_trace import BrokerTrace, record

_EVERY_SECONDS = 5.0


class BrokerWatch:
    """Writes a trace when it changes, and every 5 s as a sign of life."""

    def __init__(self, publisher: Publisher, queues: Sequence[str]) -> None:
        self._publisher = publisher
        self._queues = queues
        self._told: BrokerTrace | None = None
        self._told_at = -math.inf

    def tell(self) -> None:
        """Write what is new; one small statement, and mostly none."""
        seen = self._look()
        if seen != self._told or monotonic() - self._told_at >= _EVERY_SECONDS:
            record(seen)
            self._told, self._told_at = seen, monotonic()

    def _look(self) -> BrokerTrace:
        publisher = self._publisher
        troubles = {queue: publisher.lane(queue).trouble for queue in self._queues}
        refused = {queue: why for queue, why in troubles.items() if why}
        if publisher.blocked_because:
            return BrokerTrace(BrokerState.BLOCKED, publisher.blocked_because, refused)
        if not publisher.is_connected:
            return BrokerTrace(BrokerState.AWAY, publisher.lost_because, refused)
        return BrokerTrace(BrokerState.CONNECTED, "", refused)
