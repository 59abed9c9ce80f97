"""Fixtures of all tests. The servers are real; a missing one fails the run."""

from __future__ import annotations

import pytest
from django.conf import settings


@pytest.fixture(autouse=True)
def _fresh_configuration() -> None:
    """The configuration is read once a process; a test that overrides the setting sees its own."""
    from jobs.conf import config

    config.cache_clear()


@pytest.fixture
def committed(transactional_db: None) -> None:
    """A database whose transactions really commit: for tests with more than one connection."""
    assert settings.DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql"
