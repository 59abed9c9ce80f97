"""The report of one run: a table for the terminal and for Markdown, and the same as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.bench.figures import Beside, Figure

COLUMNS = ("figure", "value", "unit", "peer", "peer's value", "ratio", "limit", "goal", "verdict")
_NUMBERS = {"value", "peer's value", "ratio"}


@dataclass(slots=True)
class Bench:
    """What one bench told. ``failed``: it ended in an error, and what it would have told further is not there."""

    name: str
    seconds: float = 0.0
    figures: list[Figure] = field(default_factory=list)
    plots: list[str] = field(default_factory=list)
    failed: bool = False


@dataclass(slots=True)
class Report:
    """All benches of a run, in order."""

    at: str
    scale: float
    machine: dict[str, str]
    benches: list[Bench] = field(default_factory=list)

    @property
    def missed(self) -> bool:
        """Whether a bench failed or a ratio missed its goal."""
        return any(bench.failed or any(figure.missed for figure in bench.figures) for bench in self.benches)

    def write(self, folder: Path) -> None:
        """Write ``report.json`` and ``report.md``, the plots beside them."""
        (folder / "report.json").write_text(json.dumps(_document(self), indent=2) + "\n")
        (folder / "report.md").write_text("\n".join(_markdown(self)) + "\n")


def table(figures: Sequence[Figure]) -> str:
    """The figures in columns as wide as they need."""
    rows = [COLUMNS, *(row for figure in figures for row in _rows(figure))]
    widths = [max(len(row[place]) for row in rows) for place in range(len(COLUMNS))]
    return "\n".join("  ".join(_padded(row, widths)).rstrip() for row in rows)


def _padded(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    for name, cell, width in zip(COLUMNS, row, widths, strict=True):
        yield cell.rjust(width) if name in _NUMBERS else cell.ljust(width)


def _rows(figure: Figure) -> Iterator[tuple[str, ...]]:
    """A row, and one more for each further peer."""
    limit = f"{figure.limit.name} {number(figure.limit.value)}" if figure.limit else ""
    peer, ratio = "", "" if figure.ratio is None else f"{figure.ratio:.2f}"
    if figure.peer_value is not None:
        peer = number(figure.peer_value)
    value = _value(Beside("", figure.value, figure.unfinished))
    yield figure.name, value, figure.unit, figure.peer, peer, ratio, limit, figure.wanted, figure.verdict
    for other in figure.others:
        share = f"{figure.value / other.value:.2f}" if other.value else ""
        yield "", "", "", other.name, _value(other), share, "", "", ""


def _value(of: Beside) -> str:
    return f"> {number(of.value)}" if of.unfinished else number(of.value)


def number(value: float) -> str:
    """Four digits or more of what matters: ``12,345``, ``123.4``, ``12.34``, ``0.0123``."""
    if value and abs(value) < 1:
        return f"{value:.3g}"
    return f"{value:,.{max(0, 3 - len(str(int(abs(value)))))}f}"


def _document(report: Report) -> dict[str, object]:
    figures = [
        {"bench": bench.name, **asdict(figure), "ratio": figure.ratio, "verdict": figure.verdict}
        for bench in report.benches
        for figure in bench.figures
    ]
    benches = [
        {"name": bench.name, "seconds": round(bench.seconds, 1), "failed": bench.failed, "plots": bench.plots}
        for bench in report.benches
    ]
    return {
        "at": report.at,
        "scale": report.scale,
        "machine": report.machine,
        "benches": benches,
        "figures": figures,
    }


def _markdown(report: Report) -> Iterator[str]:
    yield f"# Figures of {report.at}, scale {report.scale:g}\n"
    yield from _grid(("fact", "value"), list(report.machine.items()))
    for bench in report.benches:
        yield f"\n## {bench.name}\n"
        if bench.failed:
            yield "Ended in an error: figures are missing.\n"
        yield from _grid(COLUMNS, [row for figure in bench.figures for row in _rows(figure)])
        yield from (f"\n![{plot}]({plot})" for plot in bench.plots)


def _grid(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    lines = [head, ["---"] * len(head), *rows]
    return (f"| {' | '.join(line)} |" for line in lines)
