"""Recovery at default settings, beside its goals: ``python -m tests.crash.recovery [SCENARIO …] [--times 5]``.

Each scenario is repeated on an empty stack of its own. Median and worst are printed; 1 is returned when a worst time
is beyond its goal, or when the checks found a breach.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

from tests.crash.harness.checks import check_all
from tests.crash.harness.live import Live, live_on
from tests.crash.harness.servers import Servers, own_servers
from tests.crash.scenarios import GOALS, Outcome

_ENDS_THE_COUNTS = {"broker_restarted"}


def main(arguments: Sequence[str]) -> int:
    """Measure what is named, or all."""
    scenarios = {scenario.__name__: scenario for scenario in GOALS}
    parser = argparse.ArgumentParser(prog="python -m tests.crash.recovery")
    parser.add_argument("names", nargs="*", choices=[*scenarios, []], metavar="SCENARIO", help=", ".join(scenarios))
    parser.add_argument("--times", type=int, default=5)
    asked = parser.parse_args(arguments)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.support.stack_settings")
    with own_servers() as servers:
        missed = [_is_missed(servers, scenarios[name], asked.times) for name in asked.names or scenarios]
    return int(any(missed))


def _is_missed(servers: Servers, scenario: Callable[[Live], Outcome], times: int) -> bool:
    """Measure one scenario and print its line."""
    seconds = [_measure(servers, scenario) for _ in range(times)]
    worst, goal = max(seconds), GOALS[scenario]
    verdict = "met" if worst <= goal else "MISSED"
    text = f"{scenario.__name__:<18} median {median(seconds):5.1f} s, worst {worst:5.1f} s of {times}"
    print(f"{text}, goal {goal:g} s: {verdict}", flush=True)
    return worst > goal


def _measure(servers: Servers, scenario: Callable[[Live], Outcome]) -> float:
    with tempfile.TemporaryDirectory() as folder, live_on(servers, Path(folder)) as live:
        outcome = scenario(live)
        but = ["messages"] if scenario.__name__ in _ENDS_THE_COUNTS else []
        check_all(live, outcome.load.window, excused=outcome.held, but=but)
    return outcome.seconds


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
