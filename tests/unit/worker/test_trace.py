"""When a body wants to be tried again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from celery import Celery
from celery.worker.request import Request

from jobs import clock
from jobs.worker.trace import _seconds

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
IN_A_MINUTE = NOW + timedelta(minutes=1)


@pytest.fixture(autouse=True)
def _stopped_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "utcnow", lambda: NOW)


@pytest.mark.parametrize(
    ("when", "seconds"),
    [
        (None, None),
        (0, 0),
        (2.5, 2.5),
        (IN_A_MINUTE, 60),
        (IN_A_MINUTE.astimezone(timezone(timedelta(hours=5))), 60),
        (IN_A_MINUTE.replace(tzinfo=None), 60),
        (IN_A_MINUTE.isoformat(), 60),
        (NOW - timedelta(seconds=5), -5),
        ("", None),
        ("tomorrow", None),
        (object(), None),
    ],
)
def test_a_time_to_come_back_at_is_so_many_seconds_from_now(when: Any, seconds: float | None) -> None:
    assert _seconds(when) == seconds


@pytest.mark.parametrize("conf", [{}, {"timezone": "Asia/Tokyo"}, {"enable_utc": False, "timezone": "Asia/Tokyo"}])
def test_a_naive_time_means_what_it_means_to_celery(conf: dict[str, Any]) -> None:
    app = Celery("team", set_as_current=False)
    app.conf.update(conf)
    naive = IN_A_MINUTE.replace(tzinfo=None)
    headers = {"id": "1", "task": "noop", "eta": naive.isoformat()}
    message = SimpleNamespace(
        headers=headers, content_type="", content_encoding="", delivery_info={}, properties={}, body=""
    )
    celery_s = Request(message, app=app, task=Mock(), headers=headers, body=((), {}, {}), decoded=True)
    assert _seconds(naive) == (celery_s.eta - NOW).total_seconds()
