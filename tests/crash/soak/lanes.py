"""In what order the faults come. Two lanes: one for those that stop everything, one for the mild ones beside it."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from tests.crash.soak import process_faults, server_faults
from tests.crash.soak.ground import Fault, Ground, Kind

KINDS = (*process_faults.KINDS, *server_faults.KINDS)
TWICE = 2
_PACE = {False: 30.0, True: 45.0}  # seconds from fault to fault, by whether they are mild
_FIRST = {False: 10.0, True: 20.0}
_REST = 5.0  # at least, after a fault that lasts


def rounds(kinds: Sequence[Kind], choice: Random) -> Iterator[Kind]:
    """All kinds in an order of chance, then all again in another, without end."""
    while True:
        yield from choice.sample(kinds, len(kinds))


@dataclass
class Lane:
    """One sequence of faults, each some time after the one before, until ``stop``.

    Its thread stays when they are over: what it has started ends with it, see ``ends_with_us``.
    """

    ground: Ground
    seed: int
    is_mild: bool
    stop: threading.Event
    told: list[Fault] = field(default_factory=list)
    is_over: threading.Event = field(default_factory=threading.Event)

    def start(self) -> None:
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        self._inject_all()
        self.is_over.set()
        threading.Event().wait()

    def _inject_all(self) -> None:
        choice = Random(f"{self.seed} {self.is_mild}")
        kinds = [kind for kind in KINDS if kind.is_mild is self.is_mild]
        due = time.monotonic() + _FIRST[self.is_mild]
        for kind in rounds(kinds, choice):
            if self.stop.wait(max(0.0, due - time.monotonic())):
                return
            due = time.monotonic() + _PACE[self.is_mild]
            self._inject(kind, Random(choice.random()))
            due = max(due, time.monotonic() + _REST)

    def _inject(self, kind: Kind, choice: Random) -> None:
        fault = Fault(kind.name)
        self.told.append(fault)
        try:
            kind.inject(self.ground, fault, choice)
        except Exception as error:
            traceback.print_exc()
            fault.failed = f"{type(error).__name__}: {error}".splitlines()[0]
        fault.until = time.time()
        print(f"{time.strftime('%H:%M:%S')}  {fault.kind}  {fault.on}  {fault.failed}", flush=True)


def seldom(faults: Iterable[Fault]) -> list[str]:
    """The kinds that were injected less than twice."""
    names = [fault.kind for fault in faults if not fault.failed]
    return [kind.name for kind in KINDS if names.count(kind.name) < TWICE]
