"""The API as a program sees it: a real server in processes of its own, and a token."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.stack import stack
from tests.support.web import Web, web


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """Three web processes on an empty, migrated database."""
    folder: Path = tmp_path_factory.mktemp("contract")
    with stack(folder) as made:
        yield web(made, processes=3)
