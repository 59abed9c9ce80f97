"""``manage.py jobs`` as a process of its own: without any server, and beside other programs."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

CASES = Path(__file__).parents[2] / "cases" / "cron.jsonl"


NO_SERVERS = {
    "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none",
    "BROKER_URL": "amqp://nobody@127.0.0.1:1//",
    "REDIS_URL": "redis://127.0.0.1:1/0",
    "BEATKEEPER_SECRET_KEY": "x",
}


def test_preview_from_stdin_answers_line_by_line_without_a_database(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in NO_SERVERS.items():
        monkeypatch.setenv(name, value)
    command = [sys.executable, "manage.py", "jobs", "preview", "--stdin"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        question = {"expr": "0 9 * * *", "tz": "Europe/Berlin", "after": "2026-01-01T00:00:00+00:00", "count": 2}
        for line, answer in [
            (json.dumps(question), {"next": ["2026-01-01T09:00:00+01:00", "2026-01-02T09:00:00+01:00"]}),
            (json.dumps(question | {"count": 0}), {"error": "count is 0; it must be a whole number from 1 to 10,000."}),
            (
                json.dumps(question | {"expr": "61 * * * *"}),
                {"error": 'Cron "61 * * * *" is invalid: minute 61 is outside 0-59.'},
            ),
        ]:
            process.stdin.write(line + "\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline()) == answer
        process.stdin.write(json.dumps(question | {"expr": "\ud800 * * * *"}) + "\n")
        process.stdin.flush()
        assert "error" in json.loads(process.stdout.readline())
        process.stdin.close()
        assert process.wait(10) == 0


def test_preview_from_stdin_gives_the_answers_of_the_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    """I7."""
    for name, value in NO_SERVERS.items():
        monkeypatch.setenv(name, value)
    cases = [json.loads(line) for line in CASES.read_text().splitlines()]
    questions = [
        {"tz": "UTC", "after": "2026-01-01T00:00:00+00:00", "count": len(case.get("next", [1]))}
        | {key: case[key] for key in ("expr", "tz", "after") if key in case}
        for case in cases
    ]
    done = subprocess.run(
        [sys.executable, "manage.py", "jobs", "preview", "--stdin"],
        input="".join(json.dumps(question) + "\n" for question in questions),
        capture_output=True,
        text=True,
        check=True,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(cases) == 187
    for case, answer in zip(cases, answers, strict=True):
        if case.get("valid", True):
            assert instants(answer["next"]) == instants(case["next"]), case["id"]
        else:
            assert list(answer) == ["error"], case["id"]


def instants(texts: list[str]) -> list[datetime]:
    """The same moment may be written with another offset."""
    return [datetime.fromisoformat(text) for text in texts]


def test_a_database_that_is_away_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in NO_SERVERS.items():
        monkeypatch.setenv(name, value)
    command = [sys.executable, "manage.py", "jobs", "list"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith("The database did not do its part: ")


def test_a_reader_that_has_seen_enough_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in NO_SERVERS.items():
        monkeypatch.setenv(name, value)
    line = json.dumps({"expr": "* * * * *", "tz": "UTC", "after": "2026-01-01T00:00:00+00:00", "count": 10_000})
    command = f"yes '{line}' | head -20 | {sys.executable} manage.py jobs preview --stdin | head -c 10"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ('{"next": [', "")
