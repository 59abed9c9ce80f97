"""``:run`` requests a second, beside a bare django-ninja endpoint that inserts one row, in the same server."""

from __future__ import annotations

import json
import re
import shutil
import statistics
import subprocess
from pathlib import Path

from deploy.local import apt
from tests.bench.figures import Figure
from tests.bench.setup import bench_stack
from tests.support.stack import Stack
from tests.support.web import Web, web

CONNECTIONS, SECONDS, TURNS = 8, 5, 4
_SCRIPT = """
wrk.method = "POST"
wrk.body = '{body}'
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Bearer {token}"
"""


def run(scale: float) -> list[Figure]:
    """Requests a second of one process with eight threads; turn about, the median of the pairs' ratios."""
    if shutil.which("wrk") is None:
        apt.install(["wrk"])
    with bench_stack() as live:
        server = web(live, processes=1, DJANGO_SETTINGS_MODULE="tests.bench.web_settings")
        server.ask("POST", "/jobs", {"name": "bench", "kind": "manual", "task": "tests.noop"})
        ours, bare = _turns(live, server)
    ratios = [mine / theirs for (mine, _), (theirs, _) in zip(ours, bare, strict=True)]
    rate = statistics.median
    return [
        Figure(
            "runs asked for over the API",
            rate([one for one, _ in ours]),
            "runs/s",
            "bare endpoint",
            rate([one for one, _ in bare]),
            goal=0.5,
            measured_ratio=rate(ratios),
        ),
        Figure(
            "the same, p99",
            rate([p99 for _, p99 in ours]),
            "ms",
            "bare endpoint",
            rate([p99 for _, p99 in bare]),
        ),
    ]


def _turns(live: Stack, server: Web) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    ours = _script(live.folder / "run.lua", {"kwargs": {"n": 1}}, server.token)
    bare = _script(live.folder / "bare.lua", {"name": "row"}, server.token)
    found: tuple[list[tuple[float, float]], list[tuple[float, float]]] = ([], [])
    for _ in range(TURNS):
        found[0].append(_load(f"{server.url}/v1/jobs/bench:run", ours))
        found[1].append(_load(f"{server.url}/bare/rows", bare))
    return found


def _script(file: Path, body: object, token: str) -> Path:
    file.write_text(_SCRIPT.format(body=json.dumps(body), token=token))
    return file


def _load(url: str, script: Path) -> tuple[float, float]:
    """Requests a second, and their 99th percentile in milliseconds; every answer must be a 2xx."""
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}s", "--latency", "-s", str(script), url]
    told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    assert "Non-2xx" not in told, told
    rate = float(re.search(r"Requests/sec:\s+([0-9.]+)", told)[1])  # type: ignore[index]  # wrk always tells it
    number, unit = re.search(r"99%\s+([0-9.]+)(us|ms|s)", told).groups()  # type: ignore[union-attr]  # likewise
    return rate, float(number) * {"us": 0.001, "ms": 1, "s": 1000}[unit]
