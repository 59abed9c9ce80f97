"""A series as an SVG file: lines on two axes, x logarithmic where asked. No library, so that nothing is installed."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from html import escape
from pathlib import Path

from tests.bench.figures import Series

WIDTH, HEIGHT = 760, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 190, 40, 50
_COLOURS = ("#0b6e99", "#c4442b", "#2e8540", "#8a5a00", "#6a3d9a", "#444444")
_STYLE = "font-family='sans-serif' font-size='12' fill='#222'"
Scale = Callable[[float], float]


def save(series: Series, folder: Path) -> Path:
    """Write the plot into the folder, named by its title."""
    file = folder / f"{re.sub(r'[^a-z0-9]+', '-', series.title.lower()).strip('-')}.svg"
    file.write_text(svg(series))
    return file


def svg(series: Series) -> str:
    """The plot as a document."""
    points = [point for line in series.lines.values() for point in line]
    x_ticks = (_decades if series.logarithmic else _steps)([x for x, _ in points])
    y_ticks = _steps([0.0, *(y for _, y in points)])
    x = _scale(x_ticks, _LEFT, WIDTH - _RIGHT, logarithmic=series.logarithmic)
    y = _scale(y_ticks, HEIGHT - _BOTTOM, _TOP, logarithmic=False)
    drawn = [*_axes(series, x, y, x_ticks, y_ticks), *_lines(series, x, y)]
    size = f"width='{WIDTH}' height='{HEIGHT}' viewBox='0 0 {WIDTH} {HEIGHT}'"
    head = f"<svg xmlns='http://www.w3.org/2000/svg' {size}><rect width='100%' height='100%' fill='white'/>"
    return "\n".join([head, *drawn, "</svg>", ""])


def _axes(series: Series, x: Scale, y: Scale, x_ticks: Sequence[float], y_ticks: Sequence[float]) -> Iterator[str]:
    right, bottom = WIDTH - _RIGHT, HEIGHT - _BOTTOM
    yield _text(_LEFT, _TOP - 18, series.title, "start", "font-weight='bold'")
    yield _text((_LEFT + right) / 2, HEIGHT - 12, series.x)
    middle = (_TOP + bottom) / 2
    yield _text(16, middle, series.y, "middle", f"transform='rotate(-90 16 {middle})'")
    for tick in x_ticks:
        yield _rule(x(tick), _TOP, x(tick), bottom) + _text(x(tick), bottom + 16, f"{tick:,g}")
    for tick in y_ticks:
        yield _rule(_LEFT, y(tick), right, y(tick)) + _text(_LEFT - 6, y(tick) + 4, f"{tick:,g}", "end")


def _lines(series: Series, x: Scale, y: Scale) -> Iterator[str]:
    for number, (name, line) in enumerate(series.lines.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        path = " ".join(f"{x(at):.1f},{y(value):.1f}" for at, value in line)
        yield f"<polyline points='{path}' fill='none' stroke='{colour}' stroke-width='1.8'/>"
        height = _TOP + 12 + 18 * number
        yield f"<rect x='{WIDTH - _RIGHT + 12}' y='{height - 9}' width='10' height='10' fill='{colour}'/>"
        yield _text(WIDTH - _RIGHT + 28, height, name, "start")


def _scale(ticks: Sequence[float], low: float, high: float, *, logarithmic: bool) -> Scale:
    """From a value to its place between ``low`` and ``high`` pixels."""
    on = (lambda value: math.log10(max(value, ticks[0]))) if logarithmic else float
    first, last = on(ticks[0]), on(ticks[-1])
    return lambda value: low + (on(value) - first) / (last - first) * (high - low)


def _steps(values: Sequence[float]) -> list[float]:
    """Round steps that span the values."""
    least, most = min(values, default=0.0), max(values, default=0.0)
    most = most if most > least else least + 1
    span = most - least
    unit = 10 ** math.floor(math.log10(span / 4))
    step = next(unit * factor for factor in (1, 2, 5, 10) if span / (unit * factor) <= 6)
    first = math.floor(least / step)
    return [round(step * number, 10) for number in range(first, first + math.ceil((most - first * step) / step) + 1)]


def _decades(values: Sequence[float]) -> list[float]:
    """Powers of ten that span the values above 0."""
    above = [value for value in values if value > 0] or [1.0]
    first, last = math.floor(math.log10(min(above))), math.ceil(math.log10(max(above)))
    return [10.0**power for power in range(first, max(last, first + 1) + 1)]


def _rule(x1: float, y1: float, x2: float, y2: float) -> str:
    return f"<line x1='{x1:.1f}' y1='{y1:.1f}' x2='{x2:.1f}' y2='{y2:.1f}' stroke='#ddd'/>"


def _text(x: float, y: float, text: str, anchor: str = "middle", more: str = "") -> str:
    return f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}' {_STYLE} {more}>{escape(text)}</text>"
