"""What a bench reports: a figure, its peer in the same run, and the goal for their ratio."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the report. ``goal`` is the least ratio of value to peer, or the most when ``at_most``.

    ``measured_ratio``: that of pairs measured back to back, which a noisy machine disturbs less than the values.
    """

    name: str
    value: float
    unit: str
    peer: str = ""
    peer_value: float | None = None
    goal: float | None = None
    at_most: bool = False
    measured_ratio: float | None = None

    @property
    def ratio(self) -> float | None:
        if self.measured_ratio is not None:
            return self.measured_ratio
        return self.value / self.peer_value if self.peer_value else None

    @property
    def verdict(self) -> str:
        if self.goal is None or self.ratio is None:
            return ""
        met = self.ratio <= self.goal if self.at_most else self.ratio >= self.goal
        return f"goal {'<=' if self.at_most else '>='} {self.goal:g}: {'met' if met else 'MISSED'}"

    def __str__(self) -> str:
        text = f"{self.name:<44} {self.value:>10,.1f} {self.unit:<8}"
        if self.peer_value is not None:
            text += f" {self.peer} {self.peer_value:,.1f}, ratio {self.ratio:.2f}"
        return f"{text} {self.verdict}".rstrip()


def percentile(values: list[float], share: float) -> float:
    """The value below which ``share`` of the values lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
