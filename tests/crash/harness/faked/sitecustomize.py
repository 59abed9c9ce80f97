"""Read by Python at its start where this folder is on its path: ``time.sleep`` under libfaketime.

The library takes the deadline of ``clock_nanosleep`` for one of the faked clock, also where the monotonic one is left
alone: a sleep is refused as invalid, or takes as long as the clock is off. ``select`` takes a span of time.
"""

from __future__ import annotations

import select
import time


def _sleep(seconds: float) -> None:
    select.select([], [], [], seconds)


time.sleep = _sleep
