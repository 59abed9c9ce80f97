"""``ping.py NODE``: exit 0 when that Celery node answers, so its loop turns and it hears the broker.

A ping of beat also says that it ticks: it falls silent when no tick has ended for a while. Django is not loaded, since
this runs again and again.
"""

from __future__ import annotations

import os
import sys

from celery import Celery

_SECONDS = 5.0


def answers(node: str, *, broker: str) -> bool:
    """Whether the node answers in time."""
    with Celery(broker=broker, set_as_current=False) as app:
        return bool(app.control.ping(destination=[node], timeout=_SECONDS, limit=1))


if __name__ == "__main__":
    name = sys.argv[1]
    if not answers(name, broker=os.environ["BROKER_URL"]):
        sys.exit(f"{name} did not answer within {_SECONDS:g} s.")
