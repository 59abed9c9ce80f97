"""What ``pgqueuer run`` is given: a no-op of the kind that costs pgqueuer least, on asyncpg."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
from pgqueuer import PgQueuer
from pgqueuer.db import AsyncpgDriver
from pgqueuer.models import Job


@asynccontextmanager
async def manager() -> AsyncIterator[PgQueuer]:
    """A manager on a connection of its own."""
    connection = await asyncpg.connect(os.environ["PEER_DATABASE_URL"])
    queuer = PgQueuer(AsyncpgDriver(connection))

    @queuer.entrypoint("noop")
    async def noop(job: Job) -> None:
        """Nothing."""

    yield queuer
    await connection.close()
