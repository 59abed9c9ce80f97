"""The process's clocks: monotonic for waiting, wall time only for what is shown or put in a message.

Whatever is compared or stored is stamped by the database (invariant I5).
"""

from __future__ import annotations

import time
from datetime import UTC, datetime

monotonic = time.monotonic


def utcnow() -> datetime:
    """This machine's wall time, aware, in UTC: for previews and message headers, never for decisions."""
    return datetime.now(UTC)
