"""A term to lead with, in a season whose partitions exist."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest
from django.db import connection

from jobs.services.lead import take_term
from jobs.store import partitions
from jobs.store.terms import Term


@pytest.fixture(scope="session")
def _season(django_db_setup: None, django_db_blocker: Any) -> None:
    """January to March 2026, where the tests' set times lie."""
    with django_db_blocker.unblock():
        partitions.ensure(date(2026, 1, 1), date(2026, 3, 31), wide=True)
        connection.close()


@pytest.fixture
def term(db: None, _season: None) -> Iterator[Term]:
    """Leadership of shard 0, on the test's own connection."""
    won = take_term(0, holder=uuid.uuid4())
    assert won is not None
    yield won
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_unlock_all(), set_config('beatkeeper.now', '', false)")
