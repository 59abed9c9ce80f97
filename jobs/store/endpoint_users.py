"""How many jobs call an endpoint."""

from __future__ import annotations

from collections.abc import Sequence

from jobs.store.statement import Statement

_ENDPOINT_USERS = Statement("endpoint_users")


def endpoint_users(endpoint_ids: Sequence[int], *, cap: int) -> dict[int, int]:
    """Living jobs by endpoint; ``cap`` means so many or more."""
    rows = _ENDPOINT_USERS.rows(endpoint_ids=list(endpoint_ids), cap=cap) if endpoint_ids else []
    return {row.endpoint_id: row.jobs for row in rows}
