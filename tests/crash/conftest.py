"""Servers that may be broken, shared by the session; a stack of its own for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash.harness.live import Live, live_on
from tests.crash.harness.servers import Servers, own_servers


@pytest.fixture(scope="session")
def servers() -> Iterator[Servers]:
    """One set for the session: a start costs seconds. They are mended after each test."""
    with own_servers() as started:
        yield started


@pytest.fixture
def live(servers: Servers, tmp_path: Path) -> Iterator[Live]:
    """A migrated stack with no process yet."""
    with live_on(servers, tmp_path) as made:
        yield made


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Live]:
    """A stack on servers of its own, for faults that leave them otherwise than they were."""
    with own_servers() as servers, live_on(servers, tmp_path) as made:
        yield made
