"""``jobs retry``: queue dead runs anew, by their keys or all of a group at a rate."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

from jobs.domain.messages import RunKey
from jobs.errors import CallerError, InvalidFieldError
from jobs.management.cli.arguments import add_json, error_group, find_job, instant, rows, run_key
from jobs.management.cli.documents import run_document
from jobs.management.cli.output import Output
from jobs.management.cli.runs import get_run
from jobs.services.replay import ReplayReport, replay, replay_group, replay_selected

HELP = "queue dead runs again, under the same keys"
_WHO = "command line"
_REASONS_SHOWN = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument("runs", metavar="RUN_KEY", nargs="*")
    parser.add_argument("--group", type=error_group, metavar="HEX", help="all of a group of `jobs dead`")
    parser.add_argument("--rate", type=float, metavar="N", help="so many runs a second become due; else all at once")
    parser.add_argument("--limit", type=rows, default=10_000, help="of a group at most so many, oldest first (10,000)")
    parser.add_argument("--job", metavar="NAME", help="of a group only runs of this job")
    parser.add_argument("--since", type=instant, metavar="ISO", help="of a group only slots from this day on (7 days)")


def handle(options: dict[str, Any], out: Output) -> None:
    keys = [run_key(text) for text in options["runs"]]
    if bool(keys) == bool(options["group"]):
        raise InvalidFieldError("run", "Name runs by their keys, or a group of dead runs with --group: one of the two.")
    if options["group"]:
        _retry_group(options, out)
    elif len(keys) == 1 and options["rate"] is None:
        _retry_one(keys[0], out)
    else:
        _tell(replay_selected(keys, rate=options["rate"], who=_WHO), options["rate"], out)


def _retry_one(key: RunKey, out: Output) -> None:
    replay(key, who=_WHO)
    run = get_run(key)
    if out.is_json:
        out.json(run_document(run))
    else:
        out.line(f"{key} is queued again; up to {run.max_attempts - run.attempts} more attempts.")


def _retry_group(options: dict[str, Any], out: Output) -> None:
    job = find_job(options["job"]) if options["job"] else None
    chosen = {name: options[name] for name in ("rate", "limit", "since")}
    report = replay_group(options["group"], job=job, who=_WHO, **chosen)
    _tell(report, options["rate"], out)
    if not out.is_json and report.left:
        out.line(f"Still dead in this group: {report.left:,}.")


def _tell(report: ReplayReport, rate: float | None, out: Output) -> None:
    if out.is_json:
        out.json(asdict(report))
    else:
        pace = f", the last of them due in {(report.replayed - 1) / rate:,.0f} s" if rate and report.replayed else ""
        out.line(f"Queued again: {report.replayed:,}{pace}.")
        for reason in report.refused[:_REASONS_SHOWN]:
            out.note(reason)
    if report.refused and not report.replayed:
        raise CallerError(f"No run was queued again; refused: {len(report.refused):,}.")
