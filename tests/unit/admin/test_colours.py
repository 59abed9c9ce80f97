"""The stylesheet's colours can be read: text against its ground at 4.5, marks at 3 (WCAG 2.2, 1.4.3 and 1.4.11)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import jobs

SHEET = (Path(jobs.__file__).parent / "static" / "jobs" / "admin.css").read_text()
PAIRS = dict(re.findall(r"(--jobs-[a-z-]+): light-dark\((#[0-9a-f]+, #[0-9a-f]+)\);", SHEET))
STATES = ("good", "bad", "busy", "warn", "idle")


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("state", STATES)
def test_a_badge_can_be_read(state: str, theme: int) -> None:
    assert contrast(colour(f"{state}-fg", theme), colour(f"{state}-bg", theme)) >= 4.5


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("state", STATES)
def test_a_cell_of_the_strip_stands_out(state: str, theme: int) -> None:
    assert contrast(colour(state, theme), colour("surface", theme)) >= 3


def test_nothing_is_fetched_from_elsewhere() -> None:
    assert "url(" not in SHEET
    assert "@import" not in SHEET


def colour(name: str, theme: int) -> str:
    return PAIRS[f"--jobs-{name}"].split(", ")[theme]


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(text: str) -> float:
    digits = text[1:] if len(text) == 7 else "".join(2 * digit for digit in text[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
