"""What a figure says of itself, how it is written, and that a plot shows what was measured."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from dataclasses import asdict
from pathlib import Path

import pytest

from tests.bench import plots
from tests.bench.figures import Beside, Figure, Series, distribution, rate_over_time, scaled
from tests.bench.report import Bench, Report, number, table


@pytest.mark.parametrize(
    ("figure", "verdict", "missed"),
    [
        (Figure("rate", 90, "runs/s", "peer", 100, goal=0.9), "met", False),
        (Figure("rate", 89, "runs/s", "peer", 100, goal=0.9), "MISSED", True),
        (Figure("rate", 89, "runs/s", "peer", 100, goal=0.9, measured_ratio=0.95), "met", False),
        (Figure("rate", 89, "runs/s", goal=0.9), "MISSED", True),
        (Figure("time", 3, "s", "peer", 10, goal=0.2, at_most=True), "MISSED", True),
        (Figure("time", 3, "s", aim=2, at_most=True), "off the aim", False),
        (Figure("time", 2, "s", aim=2, at_most=True), "met", False),
        (Figure("time", 1, "s", aim=2, at_most=True, unfinished=True), "off the aim", False),
        (Figure("time", 3, "s", "peer", 1), "", False),
    ],
)
def test_only_a_ratio_that_misses_its_goal_counts_as_missed(figure: Figure, verdict: str, missed: bool) -> None:
    assert (figure.verdict, figure.missed) == (verdict, missed)


def test_figure_survives_its_way_through_json() -> None:
    figure = Figure("a", 1, "s", others=(Beside("b", 2, unfinished=True),), limit=Beside("c", 3), aim=4)

    assert Figure.read(json.loads(json.dumps(asdict(figure)))) == figure


def test_table_shows_each_peer_in_a_row_and_what_did_not_end_as_a_bound() -> None:
    rows = table(
        [
            Figure(
                "last in", 1, "s", "redbeat", 4, others=(Beside("rows", 60, unfinished=True),), limit=Beside("pg", 0.5)
            )
        ]
    ).splitlines()

    assert rows[1].split() == ["last", "in", "1.00", "s", "redbeat", "4.00", "0.25", "pg", "0.5"]
    assert rows[2].split() == ["rows", ">", "60.0", "0.02"]


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0.00"), (0.01234, "0.0123"), (1.234, "1.23"), (123.4, "123"), (12345.6, "12,346")]
)
def test_number_shows_three_digits_or_more(value: float, text: str) -> None:
    assert number(value) == text


def test_distribution_ends_at_all_values() -> None:
    series = distribution("lateness", "ms", {"ours": [5.0, 1.0, 2.0, 4.0], "silent": []})

    assert series.lines == {"ours": [(1.0, 25.0), (2.0, 50.0), (4.0, 75.0), (5.0, 100.0)]}


def test_rate_over_time_counts_also_where_nothing_came() -> None:
    series = rate_over_time("sent", "messages/s", {"ours": [0.1, 0.2, 2.4]}, width=1)

    assert series.lines == {"ours": [(0.5, 2.0), (1.5, 0.0), (2.5, 1.0)]}


def test_plot_places_values_on_its_axes(tmp_path: Path) -> None:
    series = Series("A < B", "ms", "%", {"ours": [(1, 0), (10, 50), (100, 100)]}, logarithmic=True)

    file = plots.save(series, tmp_path)

    assert file.name == "a-b.svg"
    line = next(ElementTree.parse(file).getroot().iter("{http://www.w3.org/2000/svg}polyline"))
    assert line.get("points") == "70.0,350.0 320.0,195.0 570.0,40.0"


def test_plot_of_one_point_is_a_plot() -> None:
    assert "polyline" in plots.svg(Series("one", "s", "n", {"ours": [(3, 3)]}))


def test_report_tells_a_failed_bench_and_shows_its_plots(tmp_path: Path) -> None:
    report = Report("2026-11-30T120000Z", 0.1, {"cores": "2"}, [Bench("beats", 1, plots=["late.svg"], failed=True)])

    report.write(tmp_path)

    assert report.missed
    assert json.loads((tmp_path / "report.json").read_text())["benches"][0]["failed"]
    assert "Ended in an error" in (tmp_path / "report.md").read_text()
    assert "![late.svg](late.svg)" in (tmp_path / "report.md").read_text()


def test_scaled_size_has_a_least() -> None:
    assert (scaled(1_000_000, 0.1), scaled(10_000, 0.001, least=1_000)) == (100_000, 1_000)
