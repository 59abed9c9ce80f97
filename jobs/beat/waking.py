"""Wait on the leader's connection: for a NOTIFY of the planning trigger, or for time to pass."""

from __future__ import annotations

from django.db import connection

from jobs.readiness import readable

CHANNEL = "jobs_wake"


def listen() -> None:
    """Ask to be woken."""
    with connection.cursor() as cursor:
        cursor.execute(f"LISTEN {CHANNEL}")


def wait(seconds: float) -> None:
    """Return when woken, at the latest after ``seconds``. A connection that the server ended raises OperationalError.

    Notes that came along with earlier statements are looked for first: they no longer make the socket readable.
    """
    if not _take_notes() and readable([connection.connection], seconds):
        _take_notes()


def _take_notes() -> int:
    return len(list(connection.connection.notifies(timeout=0)))
