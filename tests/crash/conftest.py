"""A real stack for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.stack import Stack, stack


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Stack]:
    """A migrated stack with no process yet."""
    with stack(tmp_path) as made:
        yield made
