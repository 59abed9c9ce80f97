"""The page on public bug reports and the tests that carry a report's number agree."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference" / "public-bugs.md"
_NUMBERS = re.compile(r"test((?:_b\d{3})+)_")

Test = tuple[str, str]


def rows() -> dict[str, str]:
    """The last cell of each case's row."""
    found = re.findall(r"^\| (B\d{3}) \|.* \| (.+) \|$", PAGE.read_text(), re.MULTILINE)
    assert len(found) == len(dict(found)), "a case has two rows"
    return dict(found)


def named(cell: str) -> set[Test]:
    """(file, test) of each link of a cell."""
    links = re.findall(r"\[`(\w+)`\]\(\.\./\.\./([\w/]+\.py)\)", cell)
    return {(path, name) for name, path in links}


def functions(path: Path) -> set[str]:
    return {node.name for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)}


def numbered() -> set[tuple[str, Test]]:
    """(case, test) of each test of ours, for each number in its name."""
    files = {path: functions(path) for path in (ROOT / "tests").rglob("test_*.py")}
    tests = {(str(path.relative_to(ROOT)), name) for path, names in files.items() for name in names}
    return {(case.upper(), test) for test in tests for case in numbers(test[1])}


def numbers(name: str) -> list[str]:
    found = _NUMBERS.match(name)
    return found[1].split("_")[1:] if found else []


def test_every_test_that_the_page_names_exists() -> None:
    linked = {test for cell in rows().values() for test in named(cell)}
    assert linked
    assert {test for test in linked if test[1] not in functions(ROOT / test[0])} == set()


def test_every_test_with_a_number_is_in_the_row_of_its_case() -> None:
    cells = rows()
    assert {(case, test) for case, test in numbered() if test not in named(cells.get(case, ""))} == set()


def test_every_case_has_a_test_or_says_why_not() -> None:
    for case, cell in rows().items():
        assert named(cell) or cell.startswith("not built: "), case
