"""Our beat beside Celery's own, django-celery-beat and redbeat, with as many entries due at one instant.

No worker runs: what is measured is when messages are in their queue, of the same type for all. The instant is whole
seconds ahead; each wait has a bound, and what was not done by then is reported as unfinished.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from kombu import Connection

from jobs.domain.messages import MARKER_HEADER
from tests.bench.figures import Beside, Figure, Series, distribution, rate_over_time
from tests.bench.peers.beats import OUR_QUEUES, PEER_QUEUES, Beat, CeleryBeat, DjangoCeleryBeat, Ours, Redbeat
from tests.bench.peers.environment import peers
from tests.bench.processes import peak_rss_mib
from tests.bench.setup import bench_stack
from tests.bench.turns import depth
from tests.support.waiting import let_pass, wait_until

FEW, MANY = 1_000, 10_000
BOUND = 60.0
_LEADS = (15, 45, 135)  # seconds from storing to the instant, the next where a slow machine is not ready by then
_STORED_A_SECOND = 200  # so many entries are given one second more
_SETTINGS = {"QUEUES": OUR_QUEUES[1:], "DISPATCH_WINDOW": 10 * MANY, "MARKER": 3600}


@dataclass(slots=True)
class Outcome:
    """How a beat did. Times are in seconds; ``arrivals`` are those of the messages, from the instant on."""

    count: int
    start: Beside
    memory: float
    edit: Beside | None
    arrivals: list[float] = field(default_factory=list)

    def lateness(self, share: float) -> Beside:
        """By when this share of the messages was in the queue, in milliseconds."""
        rank = min(self.count - 1, int(share * self.count))
        done = rank < len(self.arrivals)
        return Beside("", 1000 * (self.arrivals[rank] if done else BOUND), unfinished=not done)

    def rate(self) -> Beside:
        """Messages a second until the last that came."""
        return Beside("", len(self.arrivals) / self.arrivals[-1] if self.arrivals else 0.0)


def run(scale: float) -> Iterator[Figure | Series]:
    """A thousand entries; at half the full scale or more, ten thousand too."""
    os.environ["BEATKEEPER_TEST_SETTINGS"] = json.dumps(_SETTINGS)
    with bench_stack() as live, peers(live) as others, Connection(live.environment["BROKER_URL"]) as connection:
        _declare(connection)
        rows = DjangoCeleryBeat(others)
        others.run("django", "migrate", "-v", "0", DJANGO_SETTINGS_MODULE=rows.settings)
        redis = Redbeat(others)
        beats: list[Beat] = [Ours(live), redis, CeleryBeat(others), rows]
        try:
            for count in (FEW, MANY) if scale >= 0.5 else (FEW,):
                yield from _report(count, {beat.name: _measure(beat, count, connection) for beat in beats})
        finally:
            redis.forget()


def _declare(connection: Connection) -> None:
    from jobs.broker import topology  # Django is set up by now
    from tests.bench.plain_app import quorum_queue

    topology.declare(connection)
    for name in PEER_QUEUES:
        quorum_queue(name)(connection.default_channel).declare()


def _measure(beat: Beat, count: int, connection: Connection) -> Outcome:
    with closing(connection.channel()) as channel:
        for lead in _LEADS:
            for queue in beat.queues:
                channel.queue_purge(queue)
            outcome = _attempt(beat, count, channel, lead + count // _STORED_A_SECOND)
            if outcome is not None:
                return outcome
    raise AssertionError(f"{beat.name} was not ready {_LEADS[-1]} s after its {count:,} entries were stored")


def _attempt(beat: Beat, count: int, channel: Any, lead: int) -> Outcome | None:
    """Measure a beat whose entries are due in ``lead`` seconds; None when they are before it has started."""
    due, first, edited = beat.queues
    at = int(time.time()) + lead
    beat.store(count, at)
    began = time.time()
    process = beat.start()
    try:
        start = _until_sent(channel, first, since=began, until=at - 1)
        edited_at = beat.edit()
        if start.unfinished or time.time() >= at:
            return None
        edit = None if edited_at is None else _until_sent(channel, edited, since=edited_at, until=at - 1)
        arrivals = list(_arrivals(channel, due, count, at))
        return Outcome(count, start, peak_rss_mib(process.pid), edit, arrivals)
    finally:
        process.kill()  # one that is far behind would first finish what it has begun
        process.wait(timeout=10)


def _until_sent(channel: Any, queue: str, *, since: float, until: float) -> Beside:
    """Seconds until the queue held a message; unfinished when none had come by ``until``."""
    while time.time() < until:
        message = channel.basic_get(queue, no_ack=True)
        if message and MARKER_HEADER not in message.headers:
            return Beside("", time.time() - since)
        let_pass(0.01)
    return Beside("", max(0.0, until - since), unfinished=True)


def _arrivals(channel: Any, queue: str, count: int, at: float) -> Iterator[float]:
    """Seconds after the instant at which each message was seen in the queue, until all are or the time is over."""
    early = depth(channel, queue)
    assert early <= 1, f"{queue} holds {early} messages before they are due"  # our beat's first marker may be there
    wait_until(lambda: time.time() >= at, timeout=300, what="the instant", every=0.001)
    seen = 0
    while seen < count and (now := time.time() - at) < BOUND:
        arrived = min(count, depth(channel, queue) - early)
        for _ in range(seen, arrived):
            yield now
        seen = max(seen, arrived)
        let_pass(0.01)


def _report(count: int, found: dict[str, Outcome]) -> Iterator[Figure | Series]:
    yield _figure(
        f"{count:,} due at one instant: the last in its queue", "ms", found, lambda one: one.lateness(1), goal=0.5
    )
    yield _figure("  p50", "ms", found, lambda one: one.lateness(0.5))
    yield _figure("  p99", "ms", found, lambda one: one.lateness(0.99))
    yield _figure("  rate until the last that came", "msgs/s", found, Outcome.rate)
    yield _figure("  start to first message", "s", found, lambda one: one.start)
    yield _figure("  beat's memory", "MiB", found, lambda one: Beside("", one.memory))
    yield _figure("  edit to its first message, each second", "s", found, lambda one: one.edit, aim=2)
    lateness = {name: [1000 * value for value in one.arrivals] for name, one in found.items()}
    yield distribution(f"{count:,} entries due at one instant, lateness in the queue", "milliseconds", lateness)
    arrivals = {name: one.arrivals for name, one in found.items()}
    yield rate_over_time(f"{count:,} entries due at one instant, into the queue", "messages/s", arrivals, width=0.25)


def _figure(
    name: str,
    unit: str,
    found: dict[str, Outcome],
    pick: Callable[[Outcome], Beside | None],
    *,
    goal: float | None = None,
    aim: float | None = None,
) -> Figure:
    """Ours beside redbeat and the others; less is better wherever there is a goal."""
    picked = [(peer, pick(outcome)) for peer, outcome in found.items()]
    (_, ours), *others = [(peer, value) for peer, value in picked if value is not None]
    beside = [Beside(peer, value.value, value.unfinished) for peer, value in others]
    first = beside.pop(0)
    return Figure(
        name,
        ours.value,
        unit,
        first.name,
        first.value,
        goal=goal,
        at_most=True,
        aim=aim,
        others=tuple(beside),
        unfinished=ours.unfinished,
    )
