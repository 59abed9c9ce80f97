"""How a process ends that cannot become a worker or a beat of ours."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from jobs.errors import BeatkeeperError


@contextmanager
def or_exit() -> Iterator[None]:
    """Exit with code 1 when the block fails; of what we refuse the reason alone is told.

    Celery logs what a signal's handler raises and goes on, SystemExit excepted. A worker of our queues would go on as
    a plain one and run messages that nobody claimed (I4).
    """
    try:
        yield
    except BeatkeeperError as error:
        raise SystemExit(f"Beatkeeper cannot start: {error}") from error
    except Exception as error:
        traceback.print_exc()  # logging is not set up yet
        raise SystemExit("Beatkeeper cannot start: see the error above.") from error
