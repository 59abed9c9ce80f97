"""A client that a generator wrote from the OpenAPI description alone runs a job and waits for it."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.web import Web

_JOB = {"name": "generated", "kind": "manual", "task": "tests.support.bodies.body", "kwargs": {"seconds": 0}}


@pytest.fixture
def generated(server: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The generated package's name; it is importable."""
    description = tmp_path / "openapi.json"
    description.write_text(json.dumps(server.ask("GET", "/openapi.json").document))
    generator = str(Path(sys.executable).with_name("openapi-python-client"))
    options = ["--path", str(description), "--output-path", str(tmp_path / "out"), "--meta", "none"]
    done = subprocess.run([generator, "generate", *options], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    (tmp_path / "out").rename(tmp_path / "generated_client")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield "generated_client"
    for name in [name for name in sys.modules if name.startswith("generated_client")]:
        del sys.modules[name]


def test_a_generated_client_runs_a_job_and_waits_for_it(server: Web, generated: str) -> None:
    assert server.ask("POST", "/jobs", _JOB, key="generated").status == 201
    server.stack.worker("jobs.default", concurrency=1)
    root = importlib.import_module(generated)
    run = importlib.import_module(f"{generated}.api.jobs.run_job")
    wait = importlib.import_module(f"{generated}.api.operations.wait_operation")
    with root.AuthenticatedClient(base_url=server.url, token=server.token, timeout=70) as client:
        operation = run.sync("generated", client=client, idempotency_key="g1")
        while not operation.done:
            operation = wait.sync(operation.name, client=client, timeout=20)
    assert operation.metadata["status"] == "succeeded"
    assert not operation.error
