"""A process sends its own runs from a thread, whose database connection may be lost."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection

from jobs.services import dispatch_soon
from jobs.services.dispatch_soon import Outbox
from tests.integration.broker.conftest import Broker, run
from tests.support.elsewhere import sql


def test_a_lost_database_connection_costs_one_batch(
    broker: Broker, make_runs: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Django opens a new one only where a broken one was closed, and in a bare thread nobody does that."""
    monkeypatch.setattr(dispatch_soon, "_IDLE_SECONDS", 1.0)
    outbox = Outbox()
    first, second, third = make_runs(3)
    outbox.put([first])
    thread = outbox._thread
    assert outbox.flush(10)
    _end_other_sessions()
    for key in (second, third):
        outbox.put([key])
        assert outbox.flush(10)

    assert (run(first).dispatched_at is None, run(third).dispatched_at is None) == (False, False)
    assert thread is outbox._thread is not None
    thread.join(10)


def _end_other_sessions() -> None:
    sql(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    assert connection.is_usable()
