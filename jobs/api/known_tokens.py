"""Tokens that were found lately, so that not every request asks the database. A revoked one works for seconds more."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass

from jobs.clock import monotonic
from jobs.models import Token
from jobs.services.token import find_token

SECONDS = 5.0
_MOST = 1_000


@dataclass(frozen=True, slots=True)
class _Known:
    token: Token
    until: float


class KnownTokens:
    """By the digest of their texts, so that no text stays in memory; unknown texts are asked for each time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[bytes, _Known] = OrderedDict()

    def find(self, text: str) -> Token | None:
        """The living token of this text, as it was within the last seconds."""
        digest = hashlib.sha256(text.encode()).digest()
        known = self._known.get(digest)
        if known is not None and monotonic() < known.until:
            return known.token
        token = find_token(text)
        with self._lock:
            self._known.pop(digest, None)
            if token is not None:
                self._known[digest] = _Known(token, monotonic() + SECONDS)
                while len(self._known) > _MOST:
                    self._known.popitem(last=False)
        return token

    def forget(self) -> None:
        """Ask for each anew."""
        with self._lock:
            self._known.clear()


known_tokens = KnownTokens()
