"""What the peers' beats have to send: many entries each five minutes that fall due at one instant, and two more."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

TASK = "plain.noop"
DUE, FIRST, EDITED = "plain", "plain.first", "plain.edited"  # the queues
PERIOD = 300


@dataclass(frozen=True, slots=True)
class Entry:
    """A task for a queue each ``seconds``."""

    name: str
    queue: str
    seconds: int
    last_run_at: datetime


def entries() -> Iterator[Entry]:
    """Entries due at ``PEER_AT``, one that is overdue at the start, one that is edited; as the environment says."""
    at = datetime.fromtimestamp(int(os.environ["PEER_AT"]), UTC)
    before = at - timedelta(seconds=PERIOD)
    for number in range(int(os.environ["PEER_ENTRIES"])):
        yield Entry(f"due-{number}", DUE, PERIOD, before)
    yield Entry("first", FIRST, 1, before)
    yield Entry("edited", EDITED, 10 * PERIOD, before)
