"""Keep the event loop's timers to those that may still fire.

Celery sets a timer for the hard limit of each body and cancels it when the body ends, but a cancelled timer stays in
kombu's heap until its time: at the default limit of 1,800 s and 1,600 bodies a second that is about a gigabyte.
"""

from __future__ import annotations

import heapq
from typing import Any


def drop_cancelled(timer: Any) -> int:
    """Remove cancelled timers, in place, since the loop holds on to the list; returns how many.

    On the loop's own thread.
    """
    queue = timer._queue
    before = len(queue)
    queue[:] = [item for item in queue if not item.entry.canceled]
    heapq.heapify(queue)
    return before - len(queue)
