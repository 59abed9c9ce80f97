"""``manage.py jobs tokens``: what is revoked, and what is no id."""

from __future__ import annotations

import pytest
from django.core.management import CommandError

from jobs.models import Token
from jobs.services.token import make_token
from tests.support.command import jobs, refusal

pytestmark = pytest.mark.django_db


def test_a_token_of_any_number_is_revoked() -> None:
    number = 2**33 + 1
    Token.objects.filter(pk=make_token("ci", scopes=["jobs:read"]).token.pk).update(id=number)
    assert "is revoked" in jobs("tokens", "revoke", str(number))
    assert Token.objects.get().revoked_at is not None
    assert "There is no token" in refusal("tokens", "revoke", str(2**63 - 1))


@pytest.mark.parametrize("text", ["0", "-1", "x", "1.5", "²", str(2**63), "9" * 5000])
def test_what_is_no_id_of_a_token_is_said(text: str) -> None:
    with pytest.raises(CommandError, match="is not an id"):
        jobs("tokens", "revoke", "--", text)
