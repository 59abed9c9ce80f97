"""``make bench``: every figure with its peer or its limit of the same run. Name benches to run only those."""

from __future__ import annotations

import importlib
import subprocess
import sys

BENCHES = ("schedules", "throughput", "fast", "http", "latency", "api", "idle")


def main(names: list[str]) -> int:
    """Run the benches, each in a process of its own; 1 when a goal was missed."""
    unknown = set(names) - set(BENCHES)
    if unknown:
        print(f"No bench {', '.join(sorted(unknown))}. There are {', '.join(BENCHES)}.")
        return 2
    if len(names) == 1:
        return _run(names[0])
    commands = [[sys.executable, "-m", "tests.bench", name] for name in names or BENCHES]
    return max(subprocess.run(command).returncode for command in commands)


def _run(name: str) -> int:
    missed = False
    for figure in importlib.import_module(f"tests.bench.{name}").run():
        print(figure, flush=True)
        missed |= figure.verdict.endswith("MISSED")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
