"""What a worker answers to those who inspect it, Flower among them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.parse
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from celery import Celery

from tests.support.stack import ROOT
from tests.support.worker_stack import WorkerStack


@pytest.fixture(scope="module")
def inspect(workers: WorkerStack) -> Iterator[Any]:
    """A worker with a broker to fall back on, seen through its remote control."""
    url = workers.stack.environment["BROKER_URL"]
    name = f"shown-{uuid.uuid4().hex[:8]}@here"
    process = workers.worker("-n", name, queue="jobs.spare", BROKER_URL=f"{url};{url}")
    app = Celery(broker=url, set_as_current=False)
    yield app.control.inspect([name], timeout=5)  # named, so that its answer is not waited beyond
    app.close()
    workers.stop_worker(process)


def _secrets() -> list[str]:
    urls = [os.environ[name] for name in ("BROKER_URL", "DATABASE_URL", "REDIS_URL")]
    passwords = [urllib.parse.urlsplit(url).password for url in urls]
    return [os.environ["BEATKEEPER_SECRET_KEY"], *(password for password in passwords if password)]


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda inspect: inspect.conf(with_defaults=True), "CELERY_BROKER_URL"),
        (lambda inspect: inspect.conf(), "CELERY_BROKER_URL"),
        (lambda inspect: inspect.report(), "CELERY_BROKER_URL"),
        (lambda inspect: inspect.stats(), "alternates"),
    ],
    ids=["conf, defaults too", "conf", "report", "stats"],
)
def test_a_worker_tells_its_settings_without_a_password(inspect: Any, ask: Callable[[Any], Any], said: str) -> None:
    text = json.dumps(ask(inspect))
    assert said in text
    assert not [secret for secret in _secrets() if secret in text]


def test_celery_report_shows_no_password(workers: WorkerStack) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "celery", "-A", "tests.support.celery_app", "report"],
        cwd=ROOT,
        env=workers.stack.environment,
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "CELERY_BROKER_URL" in done.stdout
    assert not [secret for secret in _secrets() if secret in done.stdout]
