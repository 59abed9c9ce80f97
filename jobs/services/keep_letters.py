"""Keep dead letters that are no runs: whole, in the database, until someone disposes of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from django.db import DatabaseError, InterfaceError, OperationalError, transaction

from jobs import log
from jobs.domain.letters import Letter
from jobs.models import DeadLetter


def keep_letters(letters: Sequence[Letter]) -> list[bool]:
    """Store these; for each whether it is kept. OperationalError or InterfaceError: the database is away, none is.

    A letter that the database refuses for what is in it is refused alone.
    """
    try:
        _insert(letters)
    except (OperationalError, InterfaceError):
        raise
    except DatabaseError as error:
        if len(letters) == 1:
            log.error("letter.refused", queue=letters[0].queue, error=repr(error)[:500])
            return [False]
        return [is_kept for letter in letters for is_kept in keep_letters([letter])]
    log.warning("letters.kept", letters=len(letters), queue=letters[0].queue, reason=letters[0].reason)
    return [True] * len(letters)


def _insert(letters: Sequence[Letter]) -> None:
    with transaction.atomic():
        DeadLetter.objects.bulk_create(DeadLetter(**asdict(letter), size=len(letter.body)) for letter in letters)
