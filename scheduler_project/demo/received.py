"""What the demo's receiver remembers: the last calls, and how often each key has come and had its effect. In memory."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from jobs import clock

SHOWN = 50
KEYS = 10_000
_Key = TypeVar("_Key")


@dataclass(frozen=True, slots=True)
class Call:
    """One call. ``number`` counts the calls of its key to its path, from 1; 0 for one whose signature is wrong."""

    at: datetime
    path: str
    key: str
    attempt: str
    is_verified: bool
    number: int


class Received:
    """Safe to use from many threads. The oldest keys are forgotten first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last: deque[tuple[Call, int]] = deque(maxlen=SHOWN)
        self._numbers: OrderedDict[tuple[str, str], int] = OrderedDict()
        self._effects: OrderedDict[str, int] = OrderedDict()

    def arrived(self, path: str, key: str, attempt: str, *, is_verified: bool) -> Call:
        """Note a call. One that is not verified counts for nothing: anyone can send any key."""
        with self._lock:
            number = _add(self._numbers, (path, key)) if is_verified else 0
        return Call(clock.utcnow(), path, key, attempt, is_verified, number)

    def answered(self, call: Call, status: int) -> None:
        """Remember the call with its answer."""
        with self._lock:
            self._last.appendleft((call, status))

    def take_effect(self, key: str) -> bool:
        """Do what the call asks for, once a key; False when that was done before."""
        with self._lock:
            return _add(self._effects, key) == 1

    def last(self) -> list[tuple[Call, int]]:
        """The last calls with the status of their answers, newest first."""
        with self._lock:
            return list(self._last)


def _add(counts: OrderedDict[_Key, int], key: _Key) -> int:
    counts[key] = counts.get(key, 0) + 1
    counts.move_to_end(key)
    if len(counts) > KEYS:
        counts.popitem(last=False)
    return counts[key]
