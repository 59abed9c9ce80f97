"""What a bench reports: figures, each beside its peers and its limit of the same run, and series to be plotted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

_POINTS = 400  # a plot shows no more


@dataclass(frozen=True, slots=True)
class Beside:
    """What else was measured in the same run. ``unfinished``: it had not ended by then, and takes longer than this."""

    name: str
    value: float
    unfinished: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the report.

    ``goal``: the least ratio of value to peer, or the most when ``at_most``.
    ``aim``: likewise for the value itself, in its unit. Another machine has other seconds: missing it fails nothing.
    ``measured_ratio``: that of pairs measured back to back, which a noisy machine disturbs less than the values.
    ``others``: further peers. ``limit``: the same work with nothing around it.
    """

    name: str
    value: float
    unit: str
    peer: str = ""
    peer_value: float | None = None
    goal: float | None = None
    at_most: bool = False
    measured_ratio: float | None = None
    aim: float | None = None
    others: tuple[Beside, ...] = ()
    limit: Beside | None = None
    unfinished: bool = False

    @property
    def ratio(self) -> float | None:
        if self.measured_ratio is not None:
            return self.measured_ratio
        return self.value / self.peer_value if self.peer_value else None

    @property
    def missed(self) -> bool:
        """Whether the ratio misses its goal."""
        return self.goal is not None and not self._meets(self.ratio, self.goal)

    @property
    def wanted(self) -> str:
        """The goal and the aim, as text."""
        sign = "<=" if self.at_most else ">="
        goal = [] if self.goal is None else [f"ratio {sign} {self.goal:g}"]
        aim = [] if self.aim is None else [f"{sign} {self.aim:,g} {self.unit}"]
        return ", ".join(goal + aim)

    @property
    def verdict(self) -> str:
        if self.missed:
            return "MISSED"
        if self.aim is not None and not self._meets(None if self.unfinished else self.value, self.aim):
            return "off the aim"
        return "met" if self.wanted else ""

    def _meets(self, value: float | None, wanted: float) -> bool:
        if value is None:
            return False
        return value <= wanted if self.at_most else value >= wanted

    @classmethod
    def read(cls, fields: Mapping[str, object]) -> Figure:
        """The figure that ``dataclasses.asdict`` made these fields of."""
        others = tuple(Beside(**other) for other in fields["others"])  # type: ignore[attr-defined]  # asdict's list
        limit = Beside(**fields["limit"]) if fields["limit"] else None  # type: ignore[arg-type]  # likewise a dict
        return cls(**{**fields, "others": others, "limit": limit})  # type: ignore[arg-type]  # our own fields


@dataclass(frozen=True, slots=True)
class Series:
    """A plot: named lines of (x, y), with what the axes show."""

    title: str
    x: str
    y: str
    lines: Mapping[str, Sequence[tuple[float, float]]]
    logarithmic: bool = False


def distribution(title: str, x: str, values: Mapping[str, Sequence[float]]) -> Series:
    """For each name, the share of its values that are at most x, on a logarithmic axis."""
    lines = {name: _shares(sorted(each)) for name, each in values.items() if each}
    return Series(title, x, "share, %", lines, logarithmic=True)


def rate_over_time(title: str, unit: str, moments: Mapping[str, Sequence[float]], *, width: float = 1.0) -> Series:
    """For each name, how many of its moments (in seconds from the start) fell into each ``width`` seconds."""
    return Series(title, "seconds", unit, {name: _rates(each, width) for name, each in moments.items() if each})


def percentile(values: list[float], share: float) -> float:
    """The value below which ``share`` of the values lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def scaled(full: int, scale: float, *, least: int = 1) -> int:
    """The size at this scale of what is ``full`` at 1."""
    return max(least, round(full * scale))


def _shares(ordered: Sequence[float]) -> list[tuple[float, float]]:
    count = len(ordered)
    ranks = sorted({round(step * (count - 1) / _POINTS) for step in range(_POINTS + 1)})
    return [(ordered[rank], 100 * (rank + 1) / count) for rank in ranks]


def _rates(moments: Iterable[float], width: float) -> list[tuple[float, float]]:
    counts: dict[int, int] = {}
    for moment in moments:
        counts[int(moment // width)] = counts.get(int(moment // width), 0) + 1
    return [((slot + 0.5) * width, counts.get(slot, 0) / width) for slot in range(min(counts), max(counts) + 1)]
