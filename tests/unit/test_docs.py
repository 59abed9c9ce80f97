"""The tables and the diagram in the documents agree with the code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

from jobs.conf import Config
from jobs.domain.states import TERMINAL, TRANSITIONS, RunStatus
from jobs.management.commands.jobs import VERBS

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference"
_LEVELS = {"event": "info", "warning": "warning", "error": "error"}


def _table(page: str) -> list[list[str]]:
    """The cells of each table row that starts with a name in backticks."""
    rows = re.findall(r"^\| (`.*) \|$", (REFERENCE / page).read_text(), re.MULTILINE)
    return [[cell.strip() for cell in row.split(" | ")] for row in rows]


def _plain(value: object) -> str:
    if isinstance(value, str):
        return value
    return ", ".join(f"`{item}`" for item in value) if isinstance(value, tuple) else f"{value:g}"


def _events() -> Iterator[tuple[str, str]]:
    """(name, level) of each event that ``jobs`` logs; where the level varies, the lower one."""
    for path in (ROOT / "jobs").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Call(ast.Attribute(ast.Name("log"), method), [ast.Constant(str(name)), *_], options):
                    yield name, "debug" if any(option.arg == "level" for option in options) else _LEVELS[method]


def test_the_settings_table_names_every_key_with_its_default() -> None:
    documented = {row[0].strip("`"): row[1] for row in _table("settings.md")}

    assert documented == {item.name.upper(): _plain(item.default) for item in fields(Config)}


def test_the_diagram_shows_every_transition_and_no_other() -> None:
    arrows = re.findall(r"^    (\S+) --> ([a-z]+):", (REFERENCE / "states.md").read_text(), re.MULTILINE)
    drawn = {(before, after) for before, after in arrows if before != "[*]"}

    assert drawn == {(before, after) for before, ends in TRANSITIONS.items() for after in ends}


def test_the_diagram_ends_in_the_terminal_states() -> None:
    ends = re.findall(r"^    ([a-z]+) --> \[\*\]$", (REFERENCE / "states.md").read_text(), re.MULTILINE)

    assert {RunStatus(name) for name in ends} == TERMINAL


def test_the_event_table_names_every_event_with_its_level() -> None:
    documented = {(row[0].strip("`"), row[1]) for row in _table("events.md")}

    assert documented == set(_events())


def test_the_page_on_the_command_line_names_every_verb() -> None:
    assert {row[0].split()[1].strip("`") for row in _table("cli.md") if row[0].startswith("`jobs ")} == set(VERBS)
