"""The five checks after every fault, in one call.

1. ``ledger``: expected slots minus rows and gaps is empty, and none is accounted for twice.
2. ``effects``: each run ended, with one effect; bodies start once, but for runs that the fault held.
3. ``standing``: no running row whose lease is over by 45 s, no due row unsent for 60 s while a worker consumes.
4. ``messages``: published = acknowledged + ready + dead; at rest nothing is unacknowledged. Only what was never
   confirmed may be missing.
5. ``preview``: each scheduled run is a slot that the preview shows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from deploy.local.process import wait_until
from tests.crash.harness import effects, ledger, messages, standing
from tests.crash.harness.effects import Allowance
from tests.crash.harness.live import Live
from tests.crash.harness.window import Window

PATIENCE = 90.0  # until the last runs have ended and the broker's counts are up to date
_SHOWN = 20
_STRICT = Allowance()


class Breach(NamedTuple):
    """One thing that must not be."""

    check: str
    key: str
    says: str


def check_all(
    live: Live,
    window: Window,
    *,
    excused: Collection[str] = (),
    starts: int = 1,
    ends: Collection[str] = _STRICT.ends,
    but: Collection[str] = (),
    patience: float = PATIENCE,
) -> None:
    """AssertionError with every breach that is still there after ``patience`` seconds.

    ``excused``: run keys that a killed, frozen or cut-off process held, which may start again. ``starts`` and ``ends``:
    what the load's bodies lead to anyway. ``but``: checks left out.
    """
    found = settled_breaches(live, window, Allowance(ends, starts, excused), but=but, patience=patience)
    if found:
        raise AssertionError(_report(found))


def settled_breaches(
    live: Live, window: Window, allowance: Allowance, *, but: Collection[str] = (), patience: float = PATIENCE
) -> list[Breach]:
    """Every breach that is still there after ``patience`` seconds."""
    found: list[Breach] = []

    def is_whole() -> bool:
        found[:] = breaches(live, window, allowance, but=but)
        return not found

    wait_until(is_whole, patience, every=1.0)
    return found


def breaches(live: Live, window: Window, allowance: Allowance = _STRICT, *, but: Collection[str] = ()) -> list[Breach]:
    """What must not be, by check and key, as things stand now."""
    found: dict[str, Callable[[], Iterable[tuple[str, str]]]] = {
        "ledger": lambda: _unaccounted(live, window),
        "effects": lambda: effects.faults(live, window, allowance),
        "standing": lambda: standing.faults(live),
        "messages": lambda: messages.faults(live),
        "preview": lambda: _unforeseen(live, window),
    }
    return sorted(Breach(check, *fault) for check, look in found.items() if check not in but for fault in look())


def _unaccounted(live: Live, window: Window) -> Iterator[tuple[str, str]]:
    read = ledger.read(live, window)
    yield from ((str(key), "is neither a run nor in a gap") for key in read.missing)
    yield from ((str(key), "is accounted for twice") for key in read.doubled)


def _unforeseen(live: Live, window: Window) -> Iterator[tuple[str, str]]:
    for key in ledger.read(live, window).unforeseen:
        yield str(key), "ran, and the preview does not show it"


def _report(found: list[Breach]) -> str:
    lines = []
    for check, group in groupby(found, lambda breach: breach.check):
        kept = list(group)
        lines += [f"{check}: {breach.key} {breach.says}" for breach in kept[:_SHOWN]]
        if len(kept) > _SHOWN:
            lines.append(f"{check}: and {len(kept) - _SHOWN} more")
    return "\n".join(lines)
