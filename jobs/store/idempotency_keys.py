"""The keys of requests that were answered. Transactions are the callers'."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from jobs.models import IdempotencyKey
from jobs.store.statement import Statement

_TAKE = Statement("take_idempotency_key")


def take(owner: str, key: str, fingerprint: str, *, lifetime_hours: int, patience_seconds: int) -> bool:
    """Insert the key, or take over one that is older than its lifetime; False when another request has it.

    Waits so long for a transaction that inserts the same key, then OperationalError; so does what follows in this one.
    """
    patience = f"{patience_seconds}s"
    values = {"owner": owner, "key": key, "fingerprint": fingerprint, "lifetime_hours": lifetime_hours}
    return bool(_TAKE.rows(**values, patience=patience))


def fill(owner: str, key: str, *, status: int, headers: Mapping[str, str], body: Any) -> None:
    """Note the answer under the key that this transaction has taken."""
    row = IdempotencyKey.objects.filter(owner=owner, key=key)
    row.update(status=status, headers=dict(headers), body=json.loads(json.dumps(body)))


def read(owner: str, key: str) -> IdempotencyKey:
    """The answer kept under a key that another transaction has committed."""
    return IdempotencyKey.objects.get(owner=owner, key=key)
