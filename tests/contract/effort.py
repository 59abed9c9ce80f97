"""How hard these tests look: a little each day, much by ``make contract``."""

from __future__ import annotations

import os


def is_hard() -> bool:
    """Whether ``make contract`` runs them."""
    return os.environ.get("BEATKEEPER_CONTRACT") == "hard"
