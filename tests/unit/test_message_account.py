"""The broker's account is even when nothing is missing but what nobody was promised."""

from __future__ import annotations

import pytest

from tests.crash.harness.messages import Account


@pytest.mark.parametrize(
    ("published", "unconfirmed", "even"),
    [
        (10, 0, True),
        (11, 0, False),  # one is lost
        (9, 0, False),  # one was acknowledged twice
        (11, 1, True),  # its sender had given up
        (12, 1, False),
        (10, 1, True),  # it came through all the same
        (9, 1, False),
        (10, -1, False),  # others came while the counts were read: to be read again
    ],
)
def test_only_what_was_never_confirmed_may_be_missing(published: int, unconfirmed: int, even: bool) -> None:
    account = Account(published=published, acknowledged=7, ready=2, dead=1, unconfirmed=unconfirmed)

    assert account.is_even is even
