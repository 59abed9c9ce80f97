"""The clerk's hand on the database: batches that survive a bad row, a locked row and an absent server.

A statement on a batch is all or nothing. When one row's data or a lock is at fault, the batch is halved until that row
stands alone; the others go through. The halves wait only shortly for a lock, and not for many: the heartbeat waits
behind them. When the server is away, nothing is lost: the caller keeps its batch and comes back after a growing pause.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.db import DatabaseError, DataError, InterfaceError, OperationalError, connection
from psycopg import errors as pg

from jobs import clock, log

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")
_BUSY = (pg.LockNotAvailable, pg.DeadlockDetected)
_FIRST_PAUSE, _LONGEST_PAUSE, _LONGEST_IN_HURRY = 0.25, 5.0, 1.0
# Below the settings' own: a statement of the clerk that hangs would take all its leases with it.
_SESSION = "SELECT set_config('statement_timeout', '8s', false), set_config('lock_timeout', %s, false)"
_LOCK_TIMEOUT, _LOCK_TIMEOUT_APART = "2s", "50ms"
_APART_WITHIN = 3.0


class AwayError(Exception):
    """The database cannot be had now."""


class Ledger:
    """Runs batches on the clerk's own connection; used by its thread alone."""

    def __init__(self) -> None:
        self._pause = 0.0
        self._back_at = 0.0
        self._longest = _LONGEST_PAUSE
        self._session: Any = None

    @property
    def wait(self) -> float:
        """Seconds until the database is worth another try."""
        return max(0.0, self._back_at - clock.monotonic())

    def hurry(self) -> None:
        """From now on ask an absent database every second: whoever waits for us may not wait long."""
        self._longest = _LONGEST_IN_HURRY
        self._back_at = min(self._back_at, clock.monotonic() + self._longest)

    def run(
        self, statement: Callable[[Sequence[T]], dict[K, V]], batch: Sequence[T], *, lock_timeout: str = _LOCK_TIMEOUT
    ) -> dict[K, V]:
        """The statement on the whole batch, or AwayError; errors of the data and of locks pass."""
        try:
            self._open(lock_timeout)
            answers = statement(batch)
        except (OperationalError, InterfaceError) as error:
            if isinstance(error.__cause__, _BUSY):
                raise
            raise self._away(error) from error
        self._pause = 0.0
        return answers

    def run_apart(
        self, statement: Callable[[Sequence[T]], dict[K, V]], batch: Sequence[T]
    ) -> tuple[dict[K, V], list[tuple[T, DatabaseError]]]:
        """The answers of all that went through, and each item that cannot, with its error.

        After some seconds what still waits for locks is not halved any more: then some are told as locked that only
        stand beside such a row.
        """
        answers: dict[K, V] = {}
        faulty: list[tuple[T, DatabaseError]] = []
        parts, lock_timeout = [batch] if batch else [], _LOCK_TIMEOUT
        give_up_at = clock.monotonic() + _APART_WITHIN
        while parts:
            part = parts.pop()
            try:
                answers |= self.run(statement, part, lock_timeout=lock_timeout)
            except DatabaseError as error:
                is_over = not is_of_the_data(error) and clock.monotonic() > give_up_at
                if len(part) == 1 or is_over:
                    faulty += [(item, error) for item in part]
                else:
                    middle = len(part) // 2
                    parts += [part[middle:], part[:middle]]
                lock_timeout = _LOCK_TIMEOUT_APART
        return answers, faulty

    def close(self) -> None:
        """Let the connection go."""
        connection.close()

    def _open(self, lock_timeout: str) -> None:
        connection.ensure_connection()
        session = connection.connection, lock_timeout
        if session != self._session:
            with connection.cursor() as cursor:
                cursor.execute(_SESSION, [lock_timeout])
            self._session = session

    def _away(self, error: Exception) -> AwayError:
        self._pause = min(max(_FIRST_PAUSE, self._pause * 2), self._longest)
        self._back_at = clock.monotonic() + self._pause * (0.5 + random.random() / 2)  # noqa: S311  # spreads workers
        log.warning("clerk.database_away", error=error, pause=round(self._pause, 2))
        with contextlib.suppress(DatabaseError):
            connection.close()
        return AwayError(str(error))


def is_of_the_data(error: DatabaseError) -> bool:
    """Whether the row's own data is at fault; else a lock, and another try may go through."""
    return isinstance(error, DataError) or not isinstance(error, OperationalError)
