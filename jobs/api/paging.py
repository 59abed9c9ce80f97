"""Pages of a list by an opaque token, which holds where the next page begins and for which question it was given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.core import signing

from jobs.errors import InvalidFieldError

MOST, USUAL = 1_000, 100
_SALT = "beatkeeper.page"
T = TypeVar("T")


def read_token(token: str, question: Sequence[object]) -> Any:
    """Where the page begins, or None for the first; InvalidFieldError for a token of another question."""
    if not token:
        return None
    try:
        asked, place = signing.loads(token, salt=_SALT)
    except (signing.BadSignature, ValueError, TypeError):
        raise InvalidFieldError(
            "query.page_token",
            "This page token is not one of ours. Send next_page_token of the page before, unchanged.",
        ) from None
    if asked != _plain(question):
        raise InvalidFieldError(
            "query.page_token",
            "This page token is of a list with other filters. Keep the filters, or leave the token out.",
        )
    return place


def page(found: Sequence[T], size: int, question: Sequence[object], place: Callable[[T], Any]) -> tuple[list[T], str]:
    """The first ``size`` of what was found and the next page's token; ask for one more than ``size`` to have it."""
    items = list(found[:size])
    return items, signing.dumps([_plain(question), place(items[-1])], salt=_SALT) if len(found) > size else ""


def _plain(question: Sequence[object]) -> list[str | None]:
    return [None if part is None else str(part) for part in question]
