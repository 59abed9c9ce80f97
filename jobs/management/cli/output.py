"""How answers are written: JSON with ``--json``, else lines and tables for people. Notes go to stderr."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import OutputWrapper

from jobs.documents import iso


class Output:
    """Where a verb writes to."""

    def __init__(self, out: OutputWrapper, err: OutputWrapper, *, is_json: bool) -> None:
        self.is_json = is_json
        self._out, self._err = out, err

    def json(self, document: Mapping[str, Any]) -> None:
        """One JSON document on a line of its own; in ASCII, which every terminal's encoding can write."""
        self._out.write(json.dumps(document, default=_plain) + "\n")

    def flush(self) -> None:
        """Hand over what is written so far."""
        self._out.flush()

    def line(self, text: str = "") -> None:
        """A line for people."""
        self._out.write(printable(text) + "\n")

    def note(self, text: str) -> None:
        """A remark that is no part of the answer."""
        self._err.write(printable(text) + "\n")

    def table(self, headers: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Columns as wide as what stands in them."""
        cells = [list(headers), *([printable(shown(value)) for value in row] for row in rows)]
        widths = [max(len(row[column]) for row in cells) for column in range(len(headers))]
        for row in cells:
            self._out.write(
                "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() + "\n"
            )


def shown(value: object) -> str:
    """A value for people: whole seconds, a hyphen for nothing."""
    if isinstance(value, datetime):
        return f"{value.astimezone(UTC):%Y-%m-%d %H:%M:%SZ}"
    return "-" if value in (None, "") else str(value)


def printable(text: str) -> str:
    """Without control characters: names and errors are other people's texts, a terminal obeys some of them."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def _plain(value: object) -> object:
    return iso(value) if isinstance(value, datetime) else str(value)
