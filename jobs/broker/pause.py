"""How long to leave something broken alone."""

from __future__ import annotations

from dataclasses import dataclass

from jobs.clock import monotonic


@dataclass(slots=True)
class Pause:
    """Starts at a second and doubles with each failure in a row, up to ``longest`` seconds."""

    longest: float
    seconds: float = 0.0
    _until: float = 0.0

    def lengthen(self) -> None:
        """Another failure."""
        self.seconds = min(max(1.0, self.seconds * 2), self.longest)
        self._until = monotonic() + self.seconds

    def end(self) -> None:
        """It works again."""
        self.seconds = self._until = 0.0

    @property
    def is_over(self) -> bool:
        return monotonic() >= self._until
