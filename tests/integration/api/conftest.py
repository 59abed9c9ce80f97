"""The API on a real database; nothing is published unless a test asks for it."""

from __future__ import annotations

from typing import Any

import pytest

from jobs.api.known_tokens import known_tokens
from tests.support.api import ApiClient, client


@pytest.fixture(autouse=True)
def _static_root(settings: Any, tmp_path: Any) -> None:
    settings.STATIC_ROOT = tmp_path


@pytest.fixture(autouse=True)
def _no_known_tokens() -> None:
    """Tokens of another test's database have the same numbers."""
    known_tokens.forget()


@pytest.fixture
def api(db: None) -> ApiClient:
    return client()
