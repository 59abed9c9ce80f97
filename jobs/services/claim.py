"""Win runs for a worker by compare-and-set.

The database guarantees that each token is won once: the rows are locked, judged and changed in one statement. A run
that replaces another is judged twice: the first statement only says which run it replaces, the second is told whether
that one still runs. Between the two the old run can end but never start anew, since it was asked to cancel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from uuid import UUID

from jobs.conf import config
from jobs.store import leases
from jobs.store.http_targets import http_targets
from jobs.store.leases import Answer, Judged, Published

UNKNOWN_TASK_DELAY = 15.0
UNKNOWN_TASK_PATIENCE = 15 * 60.0


def claim(
    asked: Sequence[Published], *, worker: UUID, in_doubt: bool = False, now: datetime | None = None
) -> dict[Published, Judged]:
    """Claim what may be claimed for one lease; the answer by message.

    A message without one names no run, or an older token of a run that another message of this batch names too.
    ``in_doubt``: this worker asked for all of these before, and the answer was lost: what that won is its own.
    """
    if not asked:
        return {}
    ask = partial(leases.claim, worker=worker, lease_seconds=config().lease, in_doubt=in_doubt, now=now)
    first = ask(asked, waits=[None] * len(asked))
    judged = {item.published: item for item in first}
    if replacing := [item for item in first if item.answer is Answer.LOOK]:
        still_running = leases.running({item.replaces for item in replacing if item.replaces}, now=now)
        second = ask(
            [item.published for item in replacing], waits=[item.replaces in still_running for item in replacing]
        )
        judged.update((item.published, item) for item in second)
    return judged | _with_targets([item for item in judged.values() if item.calls and item.is_won])


def _with_targets(won: Sequence[Judged]) -> dict[Published, Judged]:
    """HTTP runs with what they call. Should this fail, the claims stand and are found when they are asked for again."""
    targets = http_targets([item.published.key for item in won])
    return {item.published: replace(item, target=targets.get(item.published.key)) for item in won}


def postpone_unknown(asked: Sequence[tuple[Published, str]], *, now: datetime | None = None) -> None:
    """Put off runs whose task this worker does not know: 15 s, no attempt spent; dead 15 minutes after due_at.

    A rolling deploy, in which old workers get new tasks, kills nothing.
    """
    if asked:
        leases.postpone_unknown(
            asked, delay_seconds=UNKNOWN_TASK_DELAY, patience_seconds=UNKNOWN_TASK_PATIENCE, now=now
        )
