"""Each bench that is registered can be run and is explained."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

from tests.bench.__main__ import BENCHES, main

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "benchmarks.md"


@pytest.mark.parametrize("name", BENCHES)
def test_bench_takes_a_scale(name: str) -> None:
    assert list(inspect.signature(import_module(f"tests.bench.{name}").run).parameters) == ["scale"]


def test_benches_are_those_of_the_page_in_order() -> None:
    assert re.findall(r"^\| `(\w+)` \|", PAGE.read_text(), re.MULTILINE) == list(BENCHES)


@pytest.mark.parametrize(("arguments", "told"), [(["nothing"], "No bench nothing"), (["--scale", "0"], "0 to 10")])
def test_what_cannot_be_run_is_refused(arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments)

    assert told in capsys.readouterr().err
