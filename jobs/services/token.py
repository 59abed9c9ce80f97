"""API tokens: make one, read one, revoke one. Only a digest is stored: 32 random bytes need no slow hash."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import Group
from django.db.models import Q
from django.db.models.functions import Now

from jobs import log
from jobs.errors import ConflictError
from jobs.models import Token
from jobs.store.clock import database_now

_PREFIX = "bk_"
_HINT_LENGTH = 8
_NOTE_USE_EVERY = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class MadeToken:
    """A new token and its text, which nobody can read again."""

    token: Token
    text: str


def make_token(
    name: str, *, scopes: Sequence[str], team: Group | None = None, expires_at: datetime | None = None
) -> MadeToken:
    """Store a new token; ValidationError for scopes that there are not."""
    text = _PREFIX + secrets.token_urlsafe(32)
    token = Token(
        name=name,
        digest=_digest(text),
        hint=text[:_HINT_LENGTH],
        scopes=list(scopes),
        team=team,
        expires_at=expires_at,
    )
    token.save()
    log.event("token.made", token=str(token), scopes=" ".join(scopes))
    return MadeToken(token, text)


def find_token(text: str) -> Token | None:
    """The living token of this text; notes its use once a minute."""
    living = Token.objects.filter(Q(expires_at=None) | Q(expires_at__gt=Now()), revoked_at=None)
    token = living.filter(digest=_digest(text)).first()
    if token and (token.last_used_at is None or token.last_used_at < database_now() - _NOTE_USE_EVERY):
        Token.objects.filter(pk=token.pk).update(last_used_at=Now())
    return token


def revoke(token: Token) -> None:
    """Let nobody in with it from now on."""
    if not Token.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=Now()):
        raise ConflictError(f"Token {token} is revoked already.")
    token.refresh_from_db()
    log.event("token.revoked", token=str(token))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
