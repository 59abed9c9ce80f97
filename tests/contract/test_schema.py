"""The server keeps what its OpenAPI description says, whatever it is sent. ``make contract`` looks harder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract.effort import is_hard
from tests.support.web import Web

_CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)
_HARD = ("--max-examples", os.environ.get("CONTRACT_EXAMPLES", "50"))
_QUICK = ("--max-examples", "2", "--phases", "examples,fuzzing")


@pytest.fixture
def jobs(server: Web) -> None:
    """Something to find: a job with a run."""
    body = {"name": "nightly-report", "kind": "cron", "cron": "0 2 * * *", "task": "tests.noop"}
    assert server.ask("POST", "/jobs", body, key="jobs").status == 201
    assert server.ask("POST", "/jobs/nightly-report:run", {"delay_seconds": 86400}, key="run").status == 202


@pytest.mark.timeout(1200)
def test_every_answer_is_as_described(server: Web, jobs: None, tmp_path: Path) -> None:
    command = [
        *(str(Path(sys.executable).with_name("schemathesis")), "run", f"{server.url}/v1/openapi.json"),
        *("--checks", ",".join(_CHECKS), "--header", f"Authorization: Bearer {server.token}"),
        *("--seed", "1", "--request-timeout", "70", "--no-color", *(_HARD if is_hard() else _QUICK)),
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=1100)
    print(done.stdout[-1500:])
    assert done.returncode == 0, done.stdout[-6000:]


def test_the_description_has_an_example_for_every_body(server: Web) -> None:
    document = server.ask("GET", "/openapi.json").document
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            assert operation["summary"], (path, method)
            body = operation.get("requestBody")
            if body:
                assert _examples(document, body["content"]["application/json"]["schema"]), (path, method)


def _examples(document: dict[str, object], schema: dict[str, object]) -> list[object]:
    for option in schema.get("anyOf", [schema]):
        if reference := option.get("$ref"):
            option = document["components"]["schemas"][reference.rpartition("/")[2]]
        if option.get("examples"):
            return option["examples"]
    return []
