"""What people type: names, run keys, times, numbers of rows."""

from __future__ import annotations

import argparse
import re
from datetime import datetime

from jobs.domain.definition import NAME
from jobs.domain.json_value import text_fault
from jobs.domain.messages import RunKey
from jobs.errors import InvalidFieldError, NotFoundError
from jobs.models import Job

MOST_ROWS = 10_000
GROUP = re.compile("[0-9a-f]{12}")


def add_json(parser: argparse.ArgumentParser) -> None:
    """The flag that every verb has."""
    parser.add_argument("--json", action="store_true", help="write JSON; lists are one document a line")


def rows(text: str) -> int:
    """A number of rows; an argparse type."""
    number = int(text) if text.isascii() and text.isdigit() else 0
    if not 1 <= number <= MOST_ROWS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 to {MOST_ROWS:,}")
    return number


def row_id(text: str) -> int:
    """The id of a row; an argparse type."""
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 20 else 0
    if not 1 <= number < 2**63:
        raise argparse.ArgumentTypeError(f"{text!r} is not an id: a whole number from 1 on")
    return number


def seconds(text: str) -> float:
    """A length of time from 0 on; an argparse type."""
    try:
        number = float(text)
    except ValueError:
        number = -1
    if not 0 <= number <= 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 0 on")
    return number


def instant(text: str) -> datetime:
    """An ISO 8601 time with an offset; an argparse type."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = datetime.min
    if found.utcoffset() is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time with an offset such as 2030-01-31T09:00:00+00:00")
    return found


def error_group(text: str) -> str:
    """The name of a group of dead runs; an argparse type."""
    if not GROUP.fullmatch(text):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a group of 12 hexadecimal characters; `jobs dead` lists them"
        )
    return text


def text(value: str) -> str:
    """Any text; what the terminal sent must be text in its encoding. An argparse type."""
    if problem := text_fault(value):
        raise argparse.ArgumentTypeError(f"the value {problem}")
    return value


def find_job(name: str) -> Job:
    """The living job of a name."""
    named = Job.objects.filter(name=name) if NAME.fullmatch(name) else Job.objects.none()
    job = named.living().select_related("cursor", "endpoint", "webhook").first()
    if job is None:
        was = " It was archived." if named.exists() else ""
        raise NotFoundError(f'There is no job "{name}".{was} `jobs list` shows those there are.')
    return job


def run_key(text: str) -> RunKey:
    """A run's key as people copy it."""
    try:
        key = RunKey.parse(text)
    except ValueError as error:
        raise InvalidFieldError("run", f"{error} `jobs runs` shows the keys.") from None
    if key.job_id >= 2**63:
        raise NotFoundError(f"There is no run {key}.")
    return key
