"""``make bench``: every figure beside its peer or its limit of the same run; docs/reference/benchmarks.md explains it.

Each bench runs in a process of its own, which tells figures and plots to this one as lines of JSON in a file.
"""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from deploy.local import config
from tests.bench import plots
from tests.bench.figures import Figure, Series
from tests.bench.machine import facts
from tests.bench.report import Bench, Report, table

BENCHES = (
    "schedules",
    "throughput",
    "fast",
    "http",
    "latency",
    "api",
    "idle",
    "scale",
    "herd",
    "steady",
    "shards",
    "history",
    "growth",
    "beats",
    "workers",
)


def main(arguments: Sequence[str]) -> int:
    """Run the benches; 1 when one failed or a ratio missed its goal."""
    options = _options(arguments)
    if options.tell:
        _tell(options.names[0], options.scale, options.tell)
        return 0
    at = time.strftime("%Y-%m-%dT%H%M%SZ", time.gmtime())
    folder = config.load().local / "bench" / at
    folder.mkdir(parents=True)
    report = Report(at, options.scale, facts())
    for name in options.names or BENCHES:
        bench = _run(name, options.scale, folder)
        report.benches.append(bench)
        report.write(folder)
        print(f"\n{table(bench.figures)}\n", flush=True)
    print(f"{table([figure for bench in report.benches for figure in bench.figures])}\n\nWritten to {folder}")
    return int(report.missed)


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench", description="Name benches to run only those, in that order.")
    parser.add_argument("names", nargs="*", metavar="BENCH", help=", ".join(BENCHES))
    parser.add_argument("--scale", type=_scale, default=0.1, help="1 is a million jobs; default %(default)s")
    parser.add_argument("--tell", type=Path, help=argparse.SUPPRESS)  # of a bench's own process: where to tell
    options = parser.parse_args(arguments)
    if unknown := set(options.names) - set(BENCHES):
        parser.error(f"No bench {', '.join(sorted(unknown))}. There are {', '.join(BENCHES)}.")
    return options


def _scale(text: str) -> float:
    scale = float(text)
    if not 0 < scale <= 10:
        raise argparse.ArgumentTypeError(f"{text} is outside 0 to 10; 1 is a million jobs.")
    return scale


def _run(name: str, scale: float, folder: Path) -> Bench:
    """Run a bench in its own process and read what it told, also when it ended in an error."""
    print(f"== {name}", flush=True)
    told = folder / f"{name}.jsonl"
    told.touch()
    began = time.monotonic()
    command = [sys.executable, "-m", "tests.bench", name, "--scale", str(scale), "--tell", str(told)]
    code = subprocess.run(command).returncode
    bench = Bench(name, time.monotonic() - began, failed=code != 0)
    for line in told.read_text().splitlines():
        (kind, fields), *_ = json.loads(line).items()
        if kind == "figure":
            bench.figures.append(Figure.read(fields))
        else:
            bench.plots.append(plots.save(Series(**fields), folder).name)
    told.unlink()
    return bench


def _tell(name: str, scale: float, file: Path) -> None:
    with file.open("a", buffering=1) as told:
        for found in importlib.import_module(f"tests.bench.{name}").run(scale):
            kind = "figure" if isinstance(found, Figure) else "series"
            print(json.dumps({kind: asdict(found)}), file=told)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
