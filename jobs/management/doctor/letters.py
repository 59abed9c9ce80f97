"""Messages of others that wait for someone's decision."""

from __future__ import annotations

from collections.abc import Iterator

from jobs.domain.letters import LetterState
from jobs.management.doctor.finding import Finding, Level, ok
from jobs.models import DeadLetter

_COUNTED = 1000


def findings() -> Iterator[Finding]:
    """How many are kept, as far as anyone counts."""
    kept = DeadLetter.objects.filter(state=LetterState.KEPT).values("pk")[:_COUNTED].count()
    if not kept:
        yield ok("dead letters", "No message of someone else is kept.")
        return
    count = f"{_COUNTED:,} or more messages" if kept == _COUNTED else f"{kept:,} message{'s' if kept > 1 else ''}"
    yield Finding(
        "dead letters",
        Level.OK,
        f"{count} that came to jobs.dead and are no runs: kept.",
        "manage.py jobs dead-letters lists them; send them back or discard them.",
    )
