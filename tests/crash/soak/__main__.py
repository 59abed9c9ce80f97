"""``python -m tests.crash.soak --minutes 20 --seed 1``: load, a fault every 30 s, then the five checks and a table.

Returns 1 when a run is lost, a body started twice that no fault held, a gap has no reason, a check found a breach, or a
process ended by itself. The seed decides order, victims and pauses of the faults.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import psycopg

from deploy.local.config import ROOT
from deploy.local.process import wait_until as comes_true
from tests.crash.harness import messages
from tests.crash.harness.checks import Breach, settled_breaches
from tests.crash.harness.effects import Allowance
from tests.crash.harness.live import Live, live_on
from tests.crash.harness.load import Load
from tests.crash.harness.servers import own_servers
from tests.crash.soak import account, table
from tests.crash.soak.fleet import patiently
from tests.crash.soak.ground import Ground, ground_on
from tests.crash.soak.lanes import Lane

_NOOPS, _SHORTS = 160, 5
_LONG_EVERY, _LONG_SECONDS = 5, 40
_AFTERWARDS = 30  # seconds of load after the last fault
_PATIENCE = 300.0  # until the last run has ended
_MARKERS_PASS = 60.0  # seconds in which the queues are seen empty between two markers
_ACTIVE = "SELECT 1 FROM jobs_jobrun WHERE status IN ('queued', 'running') LIMIT 1"


def main(arguments: Sequence[str]) -> int:
    """Run one soak; print and keep its table."""
    parser = argparse.ArgumentParser(prog="python -m tests.crash.soak")
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="where the table goes (.local/soak-SEED.txt)")
    parser.add_argument("--keep", action="store_true", help="keep logs, lines and rows of a good one too")
    asked = parser.parse_args(arguments)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.support.stack_settings")
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    with own_servers() as servers, tempfile.TemporaryDirectory() as folder, live_on(servers, Path(folder)) as live:
        result = _soak(live, asked.minutes, asked.seed)
        _tell(result, out := asked.out or ROOT / ".local" / f"soak-{asked.seed}.txt")
        if asked.keep or not result.is_good:
            _keep(live, out.with_suffix(".d"))
    return int(not result.is_good)


def _tell(result: table.Result, out: Path) -> None:
    """Print the table and write it."""
    text = "\n".join(table.lines(result)) + "\n"
    print(text, flush=True)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(text)


def _keep(live: Live, evidence: Path) -> None:
    """Logs, lines of the bodies, and rows."""
    shutil.rmtree(evidence, ignore_errors=True)
    shutil.copytree(live.folder, evidence)
    _copy_runs(live, evidence / "runs.csv")


def _copy_runs(live: Live, out: Path) -> None:
    with psycopg.connect(live.database_url) as connection, out.open("wb") as file:
        query = "COPY (SELECT * FROM jobs_jobrun ORDER BY due_at) TO STDOUT (FORMAT csv, HEADER)"
        with connection.cursor().copy(query) as rows:
            file.writelines(bytes(row) for row in rows)


def _soak(live: Live, minutes: float, seed: int) -> table.Result:
    """Load and faults for so many minutes, rest, and what is found."""
    ground = ground_on(live)
    ground.fleet.start_all()
    load = _loaded(live)
    began = time.time()
    lanes = _faults(ground, minutes, seed)
    load.end()
    faults = sorted((fault for lane in lanes for fault in lane.told), key=lambda fault: fault.at)
    _rest(ground)
    held = {key for fault in faults for key in fault.held}
    breaches = settled_breaches(live, load.window, Allowance(excused=held), but=["messages"]) + _left_behind(live)
    ground.fleet.look()
    title = f"Soak of {minutes:g} minutes with seed {seed}"
    return table.Result(title, began, account.read(live, load.window), faults, breaches, ground.fleet.untoward)


def _loaded(live: Live) -> Load:
    """165 runs a second of three lengths, beside one every 5 s that outlives its lease, and one by hand each second."""
    load = Load(live)
    load.every(1, jobs=_NOOPS, queue="jobs.fast")
    load.every(1, jobs=_SHORTS, kwargs={"seconds": 1})
    load.every(_LONG_EVERY, kwargs={"seconds": _LONG_SECONDS})
    load.by_hand(1)
    return load


def _faults(ground: Ground, minutes: float, seed: int) -> list[Lane]:
    """Both lanes, until the time is over and their last faults are."""
    stop = threading.Event()
    lanes = [Lane(ground, seed, is_mild, stop) for is_mild in (False, True)]
    for lane in lanes:
        lane.start()
    _watch(ground, minutes * 60)
    stop.set()
    while not all(lane.is_over.is_set() for lane in lanes):
        _watch(ground, 1)
    _watch(ground, _AFTERWARDS)
    return lanes


def _watch(ground: Ground, seconds: float) -> None:
    """Keep the fleet whole for some time."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        ground.fleet.look()
        threading.Event().wait(1)


def _rest(ground: Ground) -> None:
    """Until nothing is under way, or patience is over: the checks then say what is left."""
    comes_true(lambda: bool(patiently(lambda: not ground.live.sql(_ACTIVE))), _PATIENCE, every=1.0)


def _left_behind(live: Live) -> list[Breach]:
    """Check 4 without the broker's counts, which the faults have ended."""
    found: list[Breach] = []

    def is_empty() -> bool:
        found[:] = [Breach("messages", *fault) for fault in messages.left_behind(live)]
        return not found

    comes_true(is_empty, _MARKERS_PASS, every=1.0)
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
