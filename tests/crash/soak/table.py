"""The soak's table, as text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.crash.harness.checks import Breach
from tests.crash.soak.account import Account, Repeats, recovery, repeats, worst_late
from tests.crash.soak.ground import Fault
from tests.crash.soak.lanes import KINDS, seldom

_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Result:
    """All that a soak has found; times are seconds of the epoch."""

    title: str
    began: float
    account: Account
    faults: Sequence[Fault]
    breaches: Sequence[Breach]
    untoward: Sequence[str]

    @property
    def repeats(self) -> Repeats:
        return repeats(self.account.runs, self.faults)

    @property
    def is_good(self) -> bool:
        """Nothing lost, each second start explained, each gap with its reason, no breach, no process that fell over."""
        reasons = all(reason and count is not None for reason, count in self.account.gaps.items())
        return reasons and not (self.account.lost or self.repeats.unexplained or self.breaches or self.untoward)


def lines(result: Result) -> Iterator[str]:
    """The whole table."""
    told = result.repeats
    yield result.title
    yield ""
    yield from _summary(result, told)
    yield ""
    yield f"{'at':>5}  {'fault':<44} {'lasted':>7} {'recovery':>9} {'second starts':>13} {'latest':>8}  on"
    for number, fault in enumerate(result.faults):
        yield _row(result, fault, told.by_fault[number])
    yield from _listed("breach", [f"{item.check}: {item.key} {item.says}" for item in result.breaches])
    yield from _listed("lost", result.account.lost)
    yield from _listed("unexplained second start", told.unexplained)
    yield from _listed("untoward", result.untoward)


def _summary(result: Result, told: Repeats) -> Iterator[str]:
    injected = [fault for fault in result.faults if not fault.failed]
    late = result.account.late()
    gaps = ", ".join(f"{reason} {count}" for reason, count in result.account.gaps.items())
    yield f"runs            {len(result.account.runs):,}"
    yield f"gaps            {gaps or 'none'}"
    yield f"faults          {len(injected)} of {len(KINDS)} kinds; {_coverage(injected)}"
    yield f"lost            {len(result.account.lost)}"
    yield f"second starts   {told.by_fault.total()} of runs that a fault held, {len(told.unexplained)} of others"
    yield f"late            p50 {_at(late, 0.5):.2f} s, p99 {_at(late, 0.99):.2f} s, max {_at(late, 1):.1f} s"
    yield f"five checks     {len(result.breaches)} breaches"
    yield f"verdict         {'good' if result.is_good else 'BAD'}"


def _row(result: Result, fault: Fault, second_starts: int) -> str:
    minutes, seconds = divmod(int(fault.at - result.began), 60)
    begin = f"{minutes:>2}:{seconds:02}  {fault.kind:<44}"
    if fault.failed:
        return f"{begin} not injected: {fault.failed}"
    recovered = recovery(result.account.runs, fault)
    shown = "-" if recovered is None else f"{recovered:.1f} s"
    latest = worst_late(result.account.runs, fault)
    return (
        f"{begin} {fault.until - fault.at:>5.0f} s {shown:>9} {second_starts:>13} {latest:>6.1f} s  {fault.on}".rstrip()
    )


def _coverage(injected: Sequence[Fault]) -> str:
    """Whether there was time for each kind twice; if not, which ones had none at all."""
    rare = seldom(injected)
    if not rare:
        return "each kind at least twice"
    never = [name for name in rare if name not in {fault.kind for fault in injected}]
    return f"{len(rare)} kinds less than twice, never: {', '.join(never) or 'none'}"


def _listed(word: str, items: Sequence[str]) -> Iterator[str]:
    if items:
        yield ""
    yield from (f"{word}: {item}" for item in items[:_SHOWN])
    if len(items) > _SHOWN:
        yield f"{word}: and {len(items) - _SHOWN} more"


def _at(values: Sequence[float], share: float) -> float:
    """The value below which this share lies."""
    return values[max(0, math.ceil(share * len(values)) - 1)] if values else 0.0
