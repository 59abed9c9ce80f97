"""The span of time that a check looks at."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple


class Window(NamedTuple):
    """Slots in (after, until], by the database's clock."""

    after: datetime
    until: datetime

    def holds(self, instant: datetime) -> bool:
        return self.after < instant <= self.until
