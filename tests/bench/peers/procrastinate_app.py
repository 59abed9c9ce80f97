"""The app of procrastinate's workers, with a no-op of the kind that costs it least: a coroutine."""

from __future__ import annotations

import os

from procrastinate import App, PsycopgConnector

app = App(connector=PsycopgConnector(conninfo=os.environ["PEER_DATABASE_URL"]))


@app.task(name="noop")
async def noop() -> None:
    """Nothing."""
