"""Where claimed runs of HTTP jobs go, and what they bring along."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from jobs.domain.messages import RunKey
from jobs.store.arrays import array
from jobs.store.days import whole_days
from jobs.store.micros import key_of
from jobs.store.statement import Statement

if TYPE_CHECKING:
    from jobs.models import Endpoint  # imported where tasks are registered, before there are models

_HTTP_TARGETS = Statement("http_targets")


class Target(NamedTuple):
    """An endpoint with what the job adds to it; the secrets are still sealed.

    Later ``headers`` go over earlier ones. ``body`` None is the standard body.
    """

    endpoint: str
    url: str
    enabled: bool
    seconds: float
    headers: tuple[Mapping[str, str], ...]
    body: Any
    sealed_headers: str
    sealed_secret: str


def target_of(endpoint: Endpoint, body: Any = None) -> Target:
    """An endpoint with nothing of a job's but a body."""
    return Target(
        endpoint=endpoint.name,
        url=endpoint.url,
        enabled=endpoint.enabled,
        seconds=float(endpoint.timeout_seconds),
        headers=(endpoint.headers,),
        body=body,
        sealed_headers=endpoint.sealed_headers,
        sealed_secret=endpoint.sealed_secret,
    )


def http_targets(keys: Collection[RunKey]) -> dict[RunKey, Target]:
    """The targets of those runs whose jobs have an endpoint."""
    if not keys:
        return {}
    slots = [key.scheduled_for for key in keys]
    rows = _HTTP_TARGETS.rows(job_ids=array(key.job_id for key in keys), slots=array(slots), **whole_days(slots))
    return {key_of(row): _target(row) for row in rows}


def _target(row: Any) -> Target:
    return Target(
        endpoint=row.name,
        url=row.url,
        enabled=row.enabled,
        seconds=float(row.seconds),
        headers=(json.loads(row.endpoint_headers), json.loads(row.job_headers)),
        body=None if row.body is None else json.loads(row.body),
        sealed_headers=row.sealed_headers,
        sealed_secret=row.sealed_secret,
    )
