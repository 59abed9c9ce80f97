"""What can be asked of dead runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from jobs.client import sending
from jobs.client.documents import DeadGroup, Replay, Run
from jobs.client.errors import UnexpectedAnswerError
from jobs.client.transport import Transport


class DeadCalls:
    """``/v1/dead-letters``"""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def dead_groups(self, *, days: int = 7, limit: int = 50) -> tuple[DeadGroup, ...]:
        """Dead runs by their error, of slots of the last days (1 to 400). NotAllowedError with a team's token."""
        document = self._transport.get("/dead-letters", {"days": days, "limit": limit}).document
        if not isinstance(document.get("groups"), list):
            raise UnexpectedAnswerError("The answer holds no groups of dead runs.")
        return tuple(map(DeadGroup.read, document["groups"]))

    def dead_runs(self, group: str, *, days: int = 7, page_size: int = 100) -> Iterator[Run]:
        """The runs of a group, newest slot first."""
        path = f"/dead-letters/{sending.name_in_path('group', group)}"
        return map(Run.read, self._transport.items(path, "runs", {"days": days, "page_size": page_size}))

    def replay(
        self,
        runs: Sequence[str] | None = None,
        *,
        group: str | None = None,
        job: str | None = None,
        since: datetime | None = None,
        limit: int = 10_000,
        rate: float | None = None,
        key: str | None = None,
    ) -> Replay:
        """Queue dead runs again: up to 1,000 by their keys, or those of a group, oldest first.

        ``rate``: at most so many of them become due a second. ``job``, ``since`` and ``limit`` go with a group.
        """
        body = sending.given(
            runs=None if runs is None else list(runs), group=group, job=job, since=since, limit=limit, rate=rate
        )
        return Replay.read(self._transport.post("/dead-letters:replay", body, key=key).document)
