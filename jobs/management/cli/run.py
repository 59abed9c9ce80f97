"""``jobs run``: make one run of a job, now or later."""

from __future__ import annotations

import argparse
import contextlib
import threading
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from jobs import clock
from jobs.documents import run_document
from jobs.domain.json_value import parse_json
from jobs.domain.messages import RunKey
from jobs.domain.states import RunStatus
from jobs.errors import CallerError
from jobs.management.cli import remote
from jobs.management.cli.arguments import add_json, find_job, instant, seconds
from jobs.management.cli.output import Output
from jobs.management.cli.runs import get_run
from jobs.models import JobRun
from jobs.services.define import find_endpoint
from jobs.services.run import run_job

if TYPE_CHECKING:
    from jobs.client import Client, Operation

HELP = "run a job now, after a delay or at a time"
_LONGEST_POLL_SECONDS = 1.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument("name")
    parser.add_argument("--args", dest="run_args", metavar="JSON", help="a list in place of the job's arguments")
    parser.add_argument(
        "--kwargs", dest="run_kwargs", metavar="JSON", help="an object in place of the job's keyword arguments"
    )
    parser.add_argument(
        "--body", dest="run_body", metavar="JSON", help="of an HTTP job: a body in place of the job's own"
    )
    when = parser.add_mutually_exclusive_group()
    when.add_argument("--in", dest="delay", type=seconds, metavar="SECONDS", help="start after so long")
    when.add_argument("--at", type=instant, metavar="ISO", help="start at this time")
    parser.add_argument("--force", action="store_true", help="leave the concurrency policy out")
    parser.add_argument(
        "--webhook", metavar="ENDPOINT", help="is told of this run's end, in place of the job's own webhook"
    )
    parser.add_argument("--wait", type=seconds, metavar="SECONDS", help="wait for its end; exit 1 unless it succeeded")


def handle(options: dict[str, Any], out: Output) -> None:
    job = find_job(options["name"])
    delay = None if options["delay"] is None else timedelta(seconds=options["delay"])
    webhook = None if options["webhook"] is None else find_endpoint("webhook", options["webhook"])
    key = run_job(
        job, payload=_payload(options), at=options["at"], delay=delay, force=options["force"], webhook=webhook
    )
    run = get_run(key) if options["wait"] is None else _wait(key, options["wait"])
    _tell(run_document(run), options["wait"], out)


def handle_remote(options: dict[str, Any], client: Client, out: Output) -> None:
    how = {name: options[name] for name in ("at", "delay", "force", "webhook")}
    operation = client.run(options["name"], **how, **(_payload(options) or {}))
    document = _of_new(operation) if options["wait"] is None else _wait_remote(client, operation, options["wait"])
    _tell(document, options["wait"], out)


def _of_new(operation: Operation) -> dict[str, Any]:
    """Its run, without asking again: that would need one more scope."""
    found = {name: value for name, value in operation.metadata.items() if name not in ("progress", "expires_at")}
    return {**found, "result": None, "last_error": ""}


def _wait_remote(client: Client, operation: Operation, patience: float) -> dict[str, Any]:
    with contextlib.suppress(TimeoutError):
        operation.wait(patience)
    return remote.run_document(client.run_of(operation.run))


def _tell(run: dict[str, Any], patience: float | None, out: Output) -> None:
    if out.is_json:
        out.json(run)
    else:
        out.line(f"{run['run']}  {run['status']}")
    if patience is not None and run["status"] != RunStatus.SUCCEEDED:
        raise CallerError(_why_not(run, patience))


def _payload(options: dict[str, Any]) -> dict[str, Any] | None:
    """What stands in for the job's own; Django keeps the word ``args`` of the options to itself."""
    given = {name: options[f"run_{name}"] for name in ("args", "kwargs", "body")}
    return {name: parse_json(text, name) for name, text in given.items() if text is not None} or None


def _wait(key: RunKey, patience: float) -> JobRun:
    """The run when it has ended, or as it is when the patience (in seconds) is over."""
    deadline = clock.monotonic() + patience
    interval, pause = 0.05, threading.Event()
    while not RunStatus((run := get_run(key)).status).is_terminal and clock.monotonic() < deadline:
        pause.wait(min(interval, max(0.0, deadline - clock.monotonic())))
        interval = min(2 * interval, _LONGEST_POLL_SECONDS)
    return run


def _why_not(run: dict[str, Any], patience: float) -> str:
    if not RunStatus(run["status"]).is_terminal:
        return f"Run {run['run']} is still {run['status']} after {patience:g} s. `jobs runs {run['job']}` shows it."
    reason = run["last_error"].strip().splitlines()
    return f"Run {run['run']} is {run['status']}{': ' + reason[-1] if reason else '.'}"
