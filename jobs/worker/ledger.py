"""The clerk's hand on the database: batches that survive a bad row, a locked row and an absent server.

A statement on a batch is all or nothing. When one row's data or a lock is at fault, the batch is halved until that row
stands alone; the others go through. When the server is away, nothing is lost: the caller keeps its batch and comes
back after a growing pause.
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
_SESSION = "SET statement_timeout = '8s'; SET lock_timeout = '2s'"


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

    def run(self, statement: Callable[[Sequence[T]], dict[K, V]], batch: Sequence[T]) -> dict[K, V]:
        """The statement on the whole batch, or AwayError; errors of the data pass."""
        try:
            self._open()
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
        """The answers of all that went through, and each item that cannot, with its error."""
        if not batch:
            return {}, []
        try:
            return self.run(statement, batch), []
        except DatabaseError as error:
            if len(batch) == 1:
                return {}, [(batch[0], error)]
        middle = len(batch) // 2
        answers, faulty = self.run_apart(statement, batch[:middle])
        more, more_faulty = self.run_apart(statement, batch[middle:])
        return {**answers, **more}, faulty + more_faulty

    def close(self) -> None:
        """Let the connection go."""
        connection.close()

    def _open(self) -> None:
        connection.ensure_connection()
        if connection.connection is not self._session:
            with connection.cursor() as cursor:
                cursor.execute(_SESSION)
            self._session = connection.connection

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
