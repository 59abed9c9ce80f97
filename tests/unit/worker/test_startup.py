"""A worker that cannot become ours does not start at all."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from celery import Celery, signals
from pytest_django import Settings

from jobs.beat import Scheduler
from jobs.install import install
from jobs.worker import celery_settings

REFUSED = {"LEASE": 6}


@pytest.fixture
def app() -> Celery:
    app = Celery("team", set_as_current=False)
    install(app)
    return app


def begin(app: Celery) -> None:
    """What Celery does first when it builds a worker."""
    worker = SimpleNamespace(app=app, hostname="worker@here")
    signals.celeryd_init.send(sender="", instance=worker, conf=app.conf, options={"queues": ["jobs.fast"]})


def test_a_refused_setting_ends_a_worker_with_the_reason(app: Celery, settings: Settings) -> None:
    settings.BEATKEEPER = REFUSED
    with pytest.raises(SystemExit, match=r'BEATKEEPER\["HEARTBEAT"\]'):
        begin(app)


def test_a_refused_setting_ends_beat_with_the_reason(app: Celery, settings: Settings) -> None:
    settings.BEATKEEPER = REFUSED
    with pytest.raises(SystemExit, match=r'BEATKEEPER\["HEARTBEAT"\]'):
        Scheduler(app, lazy=True)


@pytest.mark.parametrize("part", ["prepare_worker", "annotate_tasks"])
def test_a_fault_of_ours_ends_a_worker_and_is_shown(
    app: Celery, part: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise ImportError("no such module")

    monkeypatch.setattr(celery_settings, part, fail)
    with pytest.raises(SystemExit, match="cannot start"):
        begin(app)
    assert "ImportError: no such module" in capsys.readouterr().err
