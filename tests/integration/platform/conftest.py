"""A platform by its rows: led, connected and consumed, until a test changes something."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from jobs.conf import config
from jobs.domain.platform import BrokerState, QueueFacts
from jobs.models import Leader, Marker
from jobs.services.platform import platform_status
from jobs.store.broker_trace import BrokerTrace, record
from jobs.store.clock import database_now
from tests.support.elsewhere import sql


def lead(*, ticked_ago: float = 0.0) -> None:
    """A leader of ten minutes that ticked so many seconds ago."""
    now = database_now()
    elected, ticked = now - timedelta(minutes=10), now - timedelta(seconds=ticked_ago)
    fields = {"term": 3, "host": "beat-1", "elected_at": elected, "ticked_at": ticked}
    Leader.objects.update_or_create(shard=0, defaults=fields)


def return_markers(*, ago: float = 0.0) -> None:
    """A marker came back through every queue so many seconds ago."""
    at = database_now() - timedelta(seconds=ago)
    for queue in config().queues:
        fields = {"sent_at": at, "returned_sent_at": at, "returned_at": at}
        Marker.objects.update_or_create(queue=queue, defaults=fields)


def age_trace(seconds: float) -> None:
    """The dispatcher told of the broker so many seconds ago."""
    then = database_now() - timedelta(seconds=seconds)
    sql("UPDATE jobs_state SET value = value || %s::jsonb WHERE key = 'broker'", f'{{"seen_at": "{then.isoformat()}"}}')


def codes() -> list[str]:
    """What is wrong now."""
    return [problem.code.value for problem in platform_status().problems]


def queue(name: str = "jobs.default") -> QueueFacts:
    """What is known of a queue."""
    return next(one for one in platform_status().facts.queues if one.name == name)


@pytest.fixture(autouse=True)
def _static_root(settings: Any, tmp_path: Any) -> None:
    """WhiteNoise wants its folder; no test reads from it."""
    settings.STATIC_ROOT = str(tmp_path)


@pytest.fixture
def well(db: Any) -> None:
    """Nothing is wrong."""
    lead()
    return_markers()
    record(BrokerTrace(BrokerState.CONNECTED))
    assert codes() == []
