"""Fixtures of all tests. The servers are real; a missing one fails the run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.db.backends.postgresql.operations import DatabaseOperations

from tests.support.flush import sql_flush


@pytest.fixture(autouse=True)
def _fresh_configuration() -> None:
    """The configuration is read once a process; a test that overrides the setting sees its own."""
    from jobs.conf import config

    config.cache_clear()


@pytest.fixture(scope="session", autouse=True)
def _quick_flush() -> Iterator[None]:
    """Tests that commit leave few tables with rows."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(DatabaseOperations, "sql_flush", sql_flush)
        yield


@pytest.fixture
def committed(transactional_db: None) -> None:
    """A database whose transactions really commit: for tests with more than one connection."""
    assert settings.DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql"
