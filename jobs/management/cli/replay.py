"""``jobs replay``, also ``jobs retry``: queue dead runs anew, by their keys or all of a group at a rate."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from jobs.documents import run_document
from jobs.domain.messages import RunKey
from jobs.errors import CallerError, InvalidFieldError, NotFoundError
from jobs.management.cli import remote
from jobs.management.cli.arguments import add_json, error_group, find_job, instant, rows, run_key
from jobs.management.cli.output import Output, shown
from jobs.management.cli.runs import get_run
from jobs.services.replay import ReplayReport, replay, replay_group, replay_selected
from jobs.store.dead import DEFAULT_DAYS

if TYPE_CHECKING:
    from jobs.client import Client, Replay

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
    _check(options)
    if options["group"]:
        _replay_group(options, out)
    elif len(keys) == 1 and options["rate"] is None:
        _replay_one(keys[0], out)
    else:
        _tell(replay_selected(keys, rate=options["rate"], who=_WHO), options["rate"], out)


def handle_remote(options: dict[str, Any], client: Client, out: Output) -> None:
    _check(options)
    if options["group"]:
        chosen = {name: options[name] for name in ("group", "job", "since", "limit", "rate")}
        _tell_of_group(client.replay(**chosen), options, out)
    elif len(options["runs"]) == 1 and options["rate"] is None:
        _replay_one_remote(options["runs"][0], client, out)
    else:
        _tell(client.replay(options["runs"], rate=options["rate"]), options["rate"], out)


def _check(options: dict[str, Any]) -> None:
    if bool(options["runs"]) == bool(options["group"]):
        raise InvalidFieldError("run", "Name runs by their keys, or a group of dead runs with --group: one of the two.")


def _replay_one_remote(key: str, client: Client, out: Output) -> None:
    queued = client.retry(key).metadata
    if out.is_json:
        out.json(remote.run_document(client.run_of(key)))
    else:
        _tell_one(key, queued["max_attempts"] - queued["attempts"], out)


def _tell_one(key: object, attempts: int, out: Output) -> None:
    out.line(f"{key} is queued again; up to {attempts} more attempts.")


def _replay_one(key: RunKey, out: Output) -> None:
    before = get_run(key)
    replay(key, who=_WHO)
    run = get_run(key)
    if out.is_json:
        out.json(run_document(run))
    else:  # by the attempts before: the next one may have begun already
        _tell_one(key, run.max_attempts - before.attempts, out)


def _replay_group(options: dict[str, Any], out: Output) -> None:
    job = find_job(options["job"]) if options["job"] else None
    chosen = {name: options[name] for name in ("rate", "limit", "since")}
    _tell_of_group(replay_group(options["group"], job=job, who=_WHO, **chosen), options, out)


def _tell_of_group(report: ReplayReport | Replay, options: dict[str, Any], out: Output) -> None:
    _tell(report, options["rate"], out)
    if not (report.replayed or report.refused or report.left):
        raise NotFoundError(_no_such_run(options))
    if not out.is_json and report.left:
        out.line(f"Still dead in this group: {report.left:,}.")


def _no_such_run(options: dict[str, Any]) -> str:
    of_job = f' of job "{options["job"]}"' if options["job"] else ""
    since = f"{shown(options['since'])[:10]}" if options["since"] else f"{DEFAULT_DAYS} days ago"
    return (
        f"Group {options['group']} has no dead run{of_job} with a slot since {since}. `jobs dead` lists the groups; "
        "--since looks further back."
    )


def _tell(report: ReplayReport | Replay, rate: float | None, out: Output) -> None:
    if out.is_json:
        out.json({"replayed": report.replayed, "refused": list(report.refused), "left": report.left})
    else:
        pace = f", the last of them due in {(report.replayed - 1) / rate:,.0f} s" if rate and report.replayed else ""
        out.line(f"Queued again: {report.replayed:,}{pace}.")
        for reason in report.refused[:_REASONS_SHOWN]:
            out.note(reason)
    if report.refused and not report.replayed:
        raise CallerError(f"No run was queued again; refused: {len(report.refused):,}.")
