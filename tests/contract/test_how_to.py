"""What the how-to says with curl does what it says."""

from __future__ import annotations

import re
import subprocess

from tests.support.stack import ROOT
from tests.support.web import Web

_JOB = {
    "name": "how-to-report",
    "kind": "cron",
    "cron": "0 2 1 1 *",
    "max_attempts": 1,
    "task": "tests.support.bodies.body",
    "kwargs": {"seconds": 0},
}


def test_the_curl_lines_of_the_how_to_do_what_it_says(server: Web) -> None:
    assert server.ask("POST", "/jobs", _JOB, key="how-to").status == 201
    worker = server.stack.worker("jobs.default", concurrency=1)
    page = (ROOT / "docs/how-to/call-the-api.md").read_text().replace("nightly-report", "how-to-report")
    _own_server, *blocks = re.findall(r"^```sh\n(.*?)^```", page, re.M | re.S)
    run, wait, change, pages = (_sh(server, block) for block in blocks)
    server.stack.end(worker)
    assert run.startswith("HTTP/1.1 202 Accepted")
    assert re.search(r"^Location: /v1/operations/op_[0-9]+-[0-9]+\r?$", run, re.M)
    assert '"done": true' in wait.rpartition('{"name"')[2]
    assert '"response": ' in wait
    assert '"cron": "30 2 * * *"' in change
    assert pages.count('"run": ') == 1
    assert "problem" not in run + wait + change + pages


def _sh(server: Web, script: str) -> str:
    """What the lines write, one after the other; the first that fails ends them."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        env={**server.stack.environment, "SERVER": server.url, "BEATKEEPER_TOKEN": server.token},
        capture_output=True,
        text=True,
        timeout=90,
    )
    assert done.returncode == 0, (script, done.stdout, done.stderr)
    return done.stdout
