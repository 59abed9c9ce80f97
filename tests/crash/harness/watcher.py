"""A web process that watches the platform from outside, as Prometheus and a probe would ask it."""

from __future__ import annotations

import json
import socket
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

from tests.crash.harness.live import Live
from tests.support.waiting import wait_until

_TOKEN = "of-no-worth-elsewhere"
_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Watcher:
    """What a web process says of the others."""

    def __init__(self, live: Live, **settings: Any) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._address = "http://{}:{}".format(*free.getsockname())
        options = [f"--bind={self._address.removeprefix('http://')}", "--threads=2", "--no-control-socket"]
        command = [sys.executable, "-m", "gunicorn", "scheduler_project.wsgi", *options]
        settings = {**settings, "METRICS_TOKEN": _TOKEN}
        process = live.start("web", command, BEATKEEPER_TEST_SETTINGS=json.dumps(settings))
        wait_until(lambda: self.status("/healthz") == 200, timeout=60, what=f"the web process: {live.log_of(process)}")

    def status(self, path: str) -> int:
        """The status code of a page; 0 while nobody answers."""
        try:
            with self._open(path) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0

    def value(self, name: str, **labels: str) -> float:
        """The value of one metric now."""
        with self._open("/metrics") as answer:
            families = list(text_string_to_metric_families(answer.read().decode()))
        found = [sample for family in families for sample in family.samples if sample.name == f"beatkeeper_{name}"]
        return next(sample.value for sample in found if sample.labels == labels)

    def tells(self, code: str) -> bool:
        """Whether it names this problem."""
        return self.value("problems", code=code) > 0

    def until_told(self, code: str, timeout: float) -> None:
        wait_until(lambda: self.tells(code), timeout, what=f"the problem {code}", every=0.25)

    def until_mended(self, code: str, timeout: float) -> None:
        wait_until(lambda: not self.tells(code), timeout, what=f"the end of the problem {code}", every=0.25)

    @contextmanager
    def _open(self, path: str) -> Iterator[Any]:
        request = urllib.request.Request(f"{self._address}{path}", headers={"Authorization": f"Bearer {_TOKEN}"})
        with _DIRECT.open(request, timeout=10) as answer:
            yield answer
