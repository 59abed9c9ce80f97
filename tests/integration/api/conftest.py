"""The API on a real database; nothing is published unless a test asks for it."""

from __future__ import annotations

from typing import Any

import pytest

from jobs.api.known_tokens import known_tokens
from jobs.services.run_now import startable_jobs
from tests.support.api import ApiClient, client


@pytest.fixture(autouse=True)
def _static_root(settings: Any, tmp_path: Any) -> None:
    settings.STATIC_ROOT = tmp_path


@pytest.fixture(autouse=True)
def _nothing_known() -> None:
    """Tokens and jobs of another test's database have the same numbers."""
    known_tokens.forget()
    startable_jobs.forget()


@pytest.fixture
def api(db: None) -> ApiClient:
    return client()
