"""Check 4: the broker's own account, at rest: published = acknowledged + ready + dead, and nothing is unacknowledged.

The counts are the node's since it started, so not after a fault that ends it. They are read against the way that
messages take: one that moves on meanwhile is missing in the account, never in it twice, so that it hides no loss.
Asked again when all is at rest, the account is even.

But for what was never confirmed to its sender. A sender that gives up beside an alarm leaves its message in the socket,
and the broker reads, counts and routes it once the alarm is over, just as it ends the channel for which there is no
connection any more. The queue may learn of that end before it gets the message, which it then drops: a quorum queue
takes no message out of the order of its sender's, and has forgotten that order. Nobody was promised anything, so the
account may lack as many messages as lack a confirm, and no more.
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
    """Counts over the queues of runs; ``dead`` left them as dead letters, ``unconfirmed`` may have come to nothing."""

    published: int
    acknowledged: int
    ready: int
    dead: int
    unconfirmed: int

    @property
    def is_even(self) -> bool:
        missing = self.published - (self.acknowledged + self.ready + self.dead)
        return 0 <= missing <= self.unconfirmed


def read(live: Live) -> Account:
    """What became of the messages since the stack was made: nobody else uses its node."""
    first = _counted(live)
    ready = _ready(live)
    dead = ready.pop(DEAD)
    undertaken = dead - ready.pop(DEAD_LETTER_QUEUE)  # acknowledged a second time, by the undertaker
    last = _counted(live)
    return Account(
        published=last["routed"],
        acknowledged=first["acknowledged"] - undertaken,
        ready=sum(ready.values()),
        dead=dead,
        unconfirmed=first["received_confirm"] - last["confirmed"],  # not what is merely on its way
    )


def faults(live: Live) -> Iterator[tuple[str, str]]:
    """The vhost, when its account is not even."""
    account = read(live)
    if not account.is_even:
        yield live.vhost, str(account)


def left_behind(live: Live) -> Iterator[tuple[str, str]]:
    """Consumed queues that still hold messages at rest: what can be said when the node's counts were lost."""
    for name, queue in live.servers.broker.queues(live.vhost).items():
        if queue.get("messages") and (queue.get("consumers") or name in {DEAD, DEAD_LETTER_QUEUE}):
            yield name, f"holds {queue['messages']} messages, {queue.get('messages_unacknowledged', 0)} unacknowledged"


def _ready(live: Live) -> dict[str, int]:
    """What stands in each queue now; the management API's numbers are seconds old."""
    with Connection(live.environment["BROKER_URL"]) as broker:
        channel = broker.default_channel
        names = [DEAD, DEAD_LETTER_QUEUE, *(queue.name for queue in topology.queues())]
        return {name: channel.queue_declare(name, passive=True).message_count for name in names}


def _counted(live: Live) -> dict[str, int]:
    """The node's counts since the stack was made."""
    before = live.counted_before
    return {what: count - before[what] for what, count in live.servers.broker.counted().items()}
