"""Check 4: the broker's own account: published = acknowledged + ready + unacknowledged + dead.

By its counts since it started, so not after a fault that ends it. A message under way is missing in it: ask again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kombu import Connection

from jobs.broker import topology
from jobs.domain.messages import DEAD_LETTER_QUEUE
from tests.crash.harness.live import DEAD, Live


@dataclass(frozen=True, slots=True)
class Account:
    """Counts over the queues of runs; ``dead`` left them as dead letters."""

    published: int
    acknowledged: int
    ready: int
    unacknowledged: int
    dead: int

    @property
    def is_even(self) -> bool:
        return self.published == self.acknowledged + self.ready + self.unacknowledged + self.dead


def read(live: Live) -> Account:
    """What became of the messages since the stack was made: nobody else uses its node."""
    ready = _ready(live)
    dead, undertaken = ready.pop(DEAD), ready.pop(DEAD_LETTER_QUEUE)
    queues = live.servers.broker.queues(live.vhost)
    return Account(
        published=_since(live, "routed"),
        acknowledged=_since(live, "acknowledged") - (dead - undertaken),  # but for what the undertaker has dealt with
        ready=sum(ready.values()),
        unacknowledged=sum(queues[name].get("messages_unacknowledged", 0) for name in ready if name in queues),
        dead=dead,
    )


def faults(live: Live) -> Iterator[tuple[str, str]]:
    """The vhost, when its account is not even."""
    account = read(live)
    if not account.is_even:
        yield live.vhost, str(account)


def _ready(live: Live) -> dict[str, int]:
    """What stands in each queue now: the management API's numbers are seconds old, and could hide a loss."""
    with Connection(live.environment["BROKER_URL"]) as broker:
        channel = broker.default_channel
        names = [DEAD, DEAD_LETTER_QUEUE, *(queue.name for queue in topology.queues())]
        return {name: channel.queue_declare(name, passive=True).message_count for name in names}


def _since(live: Live, what: str) -> int:
    return live.servers.broker.counted(what) - live.counted_before[what]
