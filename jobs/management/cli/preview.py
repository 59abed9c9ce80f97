"""``jobs preview``: the coming slots of a job or of an expression, as the leader will emit them (I7)."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from jobs import clock
from jobs.documents import slot_document
from jobs.domain.preview_lines import MAX_COUNT, answer
from jobs.domain.schedules import ScheduleSpec, clock_change, describe, preview, warnings
from jobs.errors import CallerError, InvalidFieldError
from jobs.management.cli.arguments import add_json, find_job, instant, rows
from jobs.management.cli.output import Output

if TYPE_CHECKING:
    from jobs.client import Client

HELP = "show the coming slots of a job or of a cron expression"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("name", nargs="?", help="a job")
    what.add_argument("--cron", metavar="EXPR", help='an expression such as "0 9 * * 1-5"; needs no database')
    what.add_argument("--stdin", action="store_true", help="JSON lines {expr, tz, after, count}; needs no database")
    parser.add_argument("--tz", metavar="ZONE", help="the expression's time zone (UTC)")
    parser.add_argument("--count", type=rows, default=10, help=f"so many slots (10, at most {MAX_COUNT:,})")
    parser.add_argument("--after", type=instant, help="slots later than this time (now)")


def handle(options: dict[str, Any], out: Output) -> None:
    if options["stdin"]:
        answer_lines(sys.stdin.buffer, out)
        return
    after: datetime = options["after"] or clock.utcnow()
    spec = _spec(options)
    slots = [slot_document(slot) for slot in preview(spec, after, options["count"])]
    document = {
        "schedule": describe(spec),
        "timezone": spec.timezone,
        "slots": slots,
        "clock_change": clock_change(spec, after),
        "warnings": warnings(spec),
    }
    _tell(document, out)


def handle_remote(options: dict[str, Any], client: Client, out: Output) -> None:
    """The server tells of no clock change: each slot that one moves is marked."""
    if options["stdin"]:
        raise CallerError("--stdin needs no server: leave --server out.")
    _check_zone(options)
    when = {"after": options["after"], "count": options["count"]}
    zone = options["tz"] or "UTC"
    if options["cron"] is not None:
        found = client.preview_schedule("cron", cron=options["cron"], timezone=zone, **when)
    else:
        found = client.preview(options["name"], **when)
        zone = client.job(options["name"]).document["timezone"]
    document = {
        "schedule": found.schedule,
        "timezone": zone,
        "slots": found.document["slots"],
        "clock_change": None,
        "warnings": list(found.warnings),
    }
    _tell(document, out)


def _tell(document: dict[str, Any], out: Output) -> None:
    if out.is_json:
        out.json(document)
    else:
        _write(document, out)


def answer_lines(lines: Iterable[bytes], out: Output) -> None:
    """One answer a line, at once: the asker may wait for it before asking again."""
    for line in lines:
        out.json(answer(line.decode("utf-8", "replace")))
        out.flush()


def _spec(options: dict[str, Any]) -> ScheduleSpec:
    if options["cron"] is not None:
        return ScheduleSpec(kind="cron", cron=options["cron"], timezone=options["tz"] or "UTC")
    _check_zone(options)
    return find_job(options["name"]).spec


def _check_zone(options: dict[str, Any]) -> None:
    if options["tz"] is not None and options["cron"] is None:
        raise InvalidFieldError("tz", f"--tz {options['tz']} goes with --cron; a job has its own time zone.")


def _write(document: dict[str, Any], out: Output) -> None:
    out.line(document["schedule"])
    for warning in document["warnings"]:
        out.line(f"warning: {warning}")
    out.table(
        ("local", "utc", ""),
        ((s["local"], s["utc"], "moved by a clock change" if s["moved"] else " ") for s in document["slots"]),
    )
    if not document["slots"]:
        out.note("No slot is left.")
    if document["clock_change"]:
        out.line(document["clock_change"])
