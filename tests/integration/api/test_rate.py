"""A token's share of requests, counted in a real Redis; without Redis nobody is held up."""

from __future__ import annotations

import os
from typing import Any

import pytest

from jobs.api import rate
from jobs.conf import config
from tests.support.api import ApiClient, answer, client, problem


@pytest.fixture
def limited(settings: Any, db: None, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sets where requests are counted: 20 of them in 10 s."""

    def limit(url: str) -> None:
        settings.BEATKEEPER = {"API_RATE": 2, "REDIS_URL": url}
        config.cache_clear()
        rate._client.cache_clear()
        monkeypatch.setattr(rate, "_open_until", 0.0)

    yield limit
    rate._client.cache_clear()
    config.cache_clear()


def test_a_token_over_its_rate_is_told_when_to_come_again(limited: Any) -> None:
    limited(os.environ["REDIS_URL"])
    api = client()
    for _ in range(2 * rate.WINDOW_SECONDS):
        answer(api.get("/jobs"))
    refused = api.get("/jobs")
    problem(refused, 429)
    assert 1 <= int(refused["Retry-After"]) <= rate.WINDOW_SECONDS
    answer(client().get("/jobs"))


def test_without_redis_requests_go_through_uncounted(limited: Any) -> None:
    limited("redis://127.0.0.1:1/0")
    api: ApiClient = client()
    for _ in range(2 * rate.WINDOW_SECONDS + 5):
        answer(api.get("/jobs"))
    assert rate.uncounted() >= 1
