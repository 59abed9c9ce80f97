"""The statements of a run's lease: claim, renew, settle, hand back. Each is atomic by itself.

Every batch is one statement that locks its rows in key order, and carries the range of its slots as constants, so
that only the partitions of that range are looked at.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple
from uuid import UUID

from jobs.domain.messages import RunKey
from jobs.domain.outcomes import Attempt, Verdict
from jobs.domain.policies import Backoff, ConcurrencyPolicy, Delivery, Jitter
from jobs.domain.retry import RetryPolicy
from jobs.domain.states import RunStatus
from jobs.store.arrays import array
from jobs.store.days import whole_days
from jobs.store.http_targets import Target
from jobs.store.micros import key_of
from jobs.store.statement import Statement

HISTORY = 20

_CLAIM = Statement("claim")
_REPLACED = Statement("replaced_running")
_RENEW = Statement("renew")
_SETTLE = Statement("settle")
_SETTLED = Statement("settled")
_HAND_BACK = Statement("hand_back")
_POSTPONE = Statement("postpone_unknown")


class Published(NamedTuple):
    """What a message says: the run, and the token it had when it was published."""

    key: RunKey
    token: int


class Lease(NamedTuple):
    """The right to write a run: held as long as the row says this token and this worker (I4)."""

    key: RunKey
    token: int
    worker: UUID


class Answer(StrEnum):
    """What a claim got; all but the first two are denials.

    ``mine``: it was won when it was asked for before. ``look``: it replaces a run that must be looked at first.
    """

    CLAIMED = "claimed"
    MINE = "mine"
    EARLY = "early"
    WAITING = "waiting"
    MISSED = "missed"
    LOOK = "look"
    STALE = "stale"
    RUNNING = "running"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Judged:
    """The answer for one run. Of a claimed one: the new token, the attempt and what the job says of it.

    ``counted``: the claim itself counted the attempt. ``start_within``: seconds until start_by, None without one.
    ``calls``: its job has an endpoint; then the service adds the ``target``.
    """

    published: Published
    answer: Answer
    token: int
    job: str
    attempt: Attempt
    counted: bool
    concurrency: ConcurrencyPolicy
    start_within: float | None
    replaces: RunKey | None
    calls: bool = False
    target: Target | None = None

    @property
    def is_won(self) -> bool:
        return self.answer in (Answer.CLAIMED, Answer.MINE)


@dataclass(frozen=True, slots=True)
class Beat:
    """A lease to renew; with ``attempt`` its start, ``started_ago`` seconds ago, is written too."""

    lease: Lease
    attempt: int | None = None
    started_ago: float | None = None


@dataclass(frozen=True, slots=True)
class Settlement:
    """An attempt to end. ``attempt`` is None when its body never started."""

    lease: Lease
    verdict: Verdict
    attempt: int | None = None
    started_ago: float | None = None
    result: str | None = None


def claim(
    asked: Sequence[Published],
    *,
    worker: UUID,
    lease_seconds: float,
    waits: Sequence[bool | None],
    in_doubt: bool,
    now: datetime | None,
) -> list[Judged]:
    """Claim what may be claimed; one answer a run that exists. ``waits`` is parallel to ``asked``.

    ``in_doubt``: all of these were asked for before, by this worker, and the answer was lost.
    """
    rows = _CLAIM.rows(
        **_keyed([item.key for item in asked]),
        tokens=array(item.token for item in asked),
        waits=array(waits),
        worker=worker,
        lease_seconds=lease_seconds,
        in_doubt=in_doubt,
        now=now,
    )
    return [_judged(row) for row in rows]


def _judged(row: Any) -> Judged:
    policy, delivery, concurrency = _terms(
        row.backoff_kind,
        row.backoff_base_seconds,
        row.backoff_cap_seconds,
        row.jitter,
        row.delivery,
        row.concurrency_policy,
    )
    return Judged(
        published=Published(key_of(row), row.published),
        answer=Answer(row.answer),
        token=row.token,
        job=row.name,
        attempt=Attempt(row.attempt, row.max_attempts, policy, delivery),
        counted=row.counts,
        concurrency=concurrency,
        start_within=row.start_within,
        replaces=row.replaces and RunKey(row.job_id, row.replaces),
        calls=row.calls,
    )


@lru_cache(maxsize=1024)
def _terms(
    kind: str, base: float, cap: float, jitter: str, delivery: str, concurrency: str
) -> tuple[RetryPolicy, Delivery, ConcurrencyPolicy]:
    """What a job's words mean; most jobs say the same."""
    policy = RetryPolicy(Backoff(kind), base, cap, Jitter(jitter))
    return policy, Delivery(delivery), ConcurrencyPolicy(concurrency)


def running(keys: Collection[RunKey], *, now: datetime | None) -> set[RunKey]:
    """Which of these replaced runs still run under a live lease."""
    return _keys(_REPLACED.rows(**_keyed(list(keys)), now=now)) if keys else set()


def renew(beats: Sequence[Beat], *, worker: UUID, lease_seconds: float) -> dict[RunKey, bool]:
    """Renew; for each lease still held, whether the run was asked to cancel."""
    rows = _RENEW.rows(
        **_leased([beat.lease for beat in beats]),
        attempts=array(beat.attempt for beat in beats),
        started_ago=array(beat.started_ago for beat in beats),
        worker=worker,
        lease_seconds=lease_seconds,
    )
    return {key_of(row): row.cancel_requested for row in rows}


def settle(settlements: Sequence[Settlement], *, worker: UUID) -> dict[RunKey, RunStatus]:
    """End attempts; the new status of each run whose lease was held."""
    verdicts = [item.verdict for item in settlements]
    rows = _SETTLE.rows(
        **_leased([item.lease for item in settlements]),
        statuses=array(verdict.status for verdict in verdicts),
        delays=array(verdict.delay for verdict in verdicts),
        attempts=array(item.attempt for item in settlements),
        started_ago=array(item.started_ago for item in settlements),
        results=array(item.result for item in settlements),
        records=array(verdict.record and json.dumps(verdict.record) for verdict in verdicts),
        last_errors=array(verdict.last_error for verdict in verdicts),
        worker=worker,
        history=HISTORY,
    )
    return _statuses(rows)


def settled(settlements: Sequence[Settlement]) -> dict[RunKey, RunStatus]:
    """Which of these were written already, and the status of each: only a settlement leaves its own last words."""
    rows = _SETTLED.rows(
        **_leased([item.lease for item in settlements]),
        statuses=array(item.verdict.status for item in settlements),
        last_errors=array(item.verdict.last_error for item in settlements),
    )
    return _statuses(rows)


def hand_back(leases: Sequence[tuple[Lease, bool]], *, worker: UUID) -> dict[RunKey, RunStatus]:
    """Give unstarted runs back. The flag says that the claim counted the attempt, which is taken back."""
    rows = _HAND_BACK.rows(
        **_leased([lease for lease, _ in leases]), counted=array(counted for _, counted in leases), worker=worker
    )
    return _statuses(rows)


def postpone_unknown(
    asked: Sequence[tuple[Published, str]], *, delay_seconds: float, patience_seconds: float, now: datetime | None
) -> dict[RunKey, RunStatus]:
    """Put off queued runs whose task (the second of each pair) is unknown here, or end them."""
    rows = _POSTPONE.rows(
        **_keyed([item.key for item, _ in asked]),
        tokens=array(item.token for item, _ in asked),
        tasks=[task for _, task in asked],
        delay_seconds=delay_seconds,
        patience_seconds=patience_seconds,
        now=now,
    )
    return _statuses(rows)


def _keyed(keys: Sequence[RunKey]) -> dict[str, Any]:
    slots = [key.scheduled_for for key in keys]
    return {"job_ids": array(key.job_id for key in keys), "slots": array(slots), **whole_days(slots)}


def _leased(leases: Sequence[Lease]) -> dict[str, Any]:
    return {**_keyed([lease.key for lease in leases]), "tokens": array(lease.token for lease in leases)}


def _keys(rows: Sequence[Any]) -> set[RunKey]:
    return {key_of(row) for row in rows}


def _statuses(rows: Sequence[Any]) -> dict[RunKey, RunStatus]:
    return {key_of(row): RunStatus(row.status) for row in rows}
