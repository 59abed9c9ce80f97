"""Dispatch: queued runs whose time has come go to RabbitMQ, and are marked once the broker holds them.

The database has the truth. A run that was published and could not be marked goes again: its token makes the second
copy harmless. A run that was marked while its token no longer held is impossible: the mark is guarded by it.

A run that waits (for its time, its next attempt, or room) goes by its job as it is when it is sent: its queue too is
looked at then, and one whose job has moved is moved before it is sent.
"""

from __future__ import annotations

import functools
import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db import transaction

from jobs import log
from jobs.broker.courier import courier
from jobs.broker.encoding import Call, Content, RunTemplate
from jobs.broker.tasks import queue_to_keep, time_limits
from jobs.conf import config
from jobs.domain.messages import HTTP_TASK, RunKey
from jobs.services.bury import bury
from jobs.store import unsent
from jobs.store.micros import key_of
from jobs.store.unsent import ALL, Horizon, Share

_AT_ONCE_MAX = 500
# Arguments are limited when they are saved; what raw SQL put past that must not reach a broker that would close the
# channel. Both args and kwargs may be at the limit, and JSON as PostgreSQL writes it is longer.
_BODY_PER_PAYLOAD = 4


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A run that is to be sent: its token as read, its message as built from that."""

    key: RunKey
    token: int
    queue: str
    content: Content


class Marked(NamedTuple):
    """How many runs were marked, and which still want it, since someone holds their rows."""

    runs: int
    held: list[Outgoing]


def select_unsent(
    queue: str,
    *,
    limit: int,
    horizon: Horizon,
    but: Collection[RunKey] = (),
    share: Share = ALL,
) -> list[Outgoing]:
    """The next runs of a queue to send but these, by priority, longest due first."""
    rows = unsent.unsent_runs(queue, limit=limit, horizon=horizon, but=but, share=share)
    return list(_composed(_without_strays(rows)))


def select_by_key(keys: Sequence[RunKey]) -> list[Outgoing]:
    """Those of the runs that are to be sent now."""
    rows = unsent.unsent_runs_by_key(keys)
    if len(_without_strays(rows)) < len(rows):
        rows = unsent.unsent_runs_by_key(keys)
    return list(_composed(rows))


def mark(sent: Sequence[Outgoing]) -> Marked:
    """Note that the broker holds these, unless they have changed since they were read."""
    missed = unsent.mark_dispatched([(run.key, run.token) for run in sent])
    held = {(key_of(row), row.token) for row in unsent.unsent_runs_by_key(missed)}
    return Marked(len(sent) - len(missed), [run for run in sent if (run.key, run.token) in held])


def publish_after_commit(keys: Sequence[RunKey]) -> None:
    """Send these runs when the transaction has committed, from this process, so that they start at once.

    Never raises, and is over in about two seconds whatever the broker does; what it misses the leader sends.
    """
    transaction.on_commit(functools.partial(publish, tuple(keys)), robust=True)


def publish(keys: Sequence[RunKey]) -> None:
    """Send these committed runs and mark them. Never raises, and is over in about two seconds."""
    if not courier().is_available:
        return
    try:
        if runs := select_by_key(keys[:_AT_ONCE_MAX]):
            mark(_send(runs))
    except Exception as error:  # the runs are committed: the caller's work is done, whatever happens here
        log.warning("dispatch.left_to_leader", runs=len(keys), error=repr(error))


def _send(runs: Sequence[Outgoing]) -> list[Outgoing]:
    by_queue: dict[str, list[Outgoing]] = defaultdict(list)
    for run in runs:
        by_queue[run.queue].append(run)
    answers = courier().send({queue: [run.content for run in batch] for queue, batch in by_queue.items()})
    return [
        run
        for queue, answer in answers.items()
        for run, is_held in zip(by_queue[queue], answer, strict=True)
        if is_held
    ]


def _without_strays(rows: Sequence[Any]) -> Sequence[Any]:
    """The runs that stand in the right queue; the others are moved to theirs, and found there by who looks next."""
    strays = [(row, queue) for row in rows if (queue := _queue(row.queue, row.job_queue, row.task)) != row.queue]
    if not strays:
        return rows
    if count := unsent.move_unsent(strays):
        log.event("runs.moved", runs=count, first=key_of(strays[0][0]), to=strays[0][1])
    moved = {key_of(row) for row, _ in strays}
    return [row for row in rows if key_of(row) not in moved]


def _composed(rows: Iterable[Any]) -> Iterator[Outgoing]:
    """The runs with their messages; one that no message can be made of is dead, and holds up no other."""
    for row in rows:
        try:
            yield _outgoing(row)
        except (TypeError, ValueError, LookupError, RecursionError) as error:
            bury(key_of(row), row.token, reason="unsendable", message=repr(error))


def _outgoing(row: Any) -> Outgoing:
    key = key_of(row)
    call = _call(row) if row.task else Call(row.name, "[]", "{}")  # an HTTP run's worker reads the rest when it claims
    content = _template(row.task or HTTP_TASK, row.timeout_seconds, row.soft_timeout_seconds).content(
        key, row.token, call
    )
    if len(content.body) > _BODY_PER_PAYLOAD * config().payload_max:
        raise ValueError(
            f"The message's body has {len(content.body):,} bytes; PAYLOAD_MAX is {config().payload_max:,}."
        )
    return Outgoing(key, row.token, row.queue, content)


def _call(row: Any) -> Call:
    call = Call(row.name, row.args, row.kwargs)
    return call.replaced_by(json.loads(row.payload)) if row.payload else call


_queue = functools.lru_cache(maxsize=4096)(queue_to_keep)


@functools.lru_cache(maxsize=4096)
def _template(task: str, timeout: int | None, soft_timeout: int | None) -> RunTemplate:
    return RunTemplate(task=task, limits=time_limits(timeout, soft_timeout, task))
