"""Tell of something that is away without filling the log: at first, then every half a minute, and when it is back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jobs import clock

TOLD_EVERY_SECONDS = 30.0


@dataclass(slots=True)
class Absence:
    """How long it has lasted, and how many tries failed. Each answer is fields of a log event, None for no line."""

    tries: int = 0
    _began_at: float = 0.0
    _told_at: float = 0.0

    def failed(self) -> dict[str, Any] | None:
        """Another try has failed."""
        now = clock.monotonic()
        self.tries += 1
        if self.tries == 1:
            self._began_at = self._told_at = now
            return {}
        if now - self._told_at < TOLD_EVERY_SECONDS:
            return None
        self._told_at = now
        return self._so_far(now)

    def ended(self) -> dict[str, Any] | None:
        """It is there; None when it never was away."""
        if not self.tries:
            return None
        fields = self._so_far(clock.monotonic())
        self.tries = 0
        return fields

    def _so_far(self, now: float) -> dict[str, Any]:
        return {"away": f"{now - self._began_at:.0f}s", "tries": self.tries}
