"""Signatures of calls by the Standard Webhooks scheme, version 1: HMAC-SHA256 of "id.timestamp.body".

Source: github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md, "Symmetric signatures".
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets

PREFIX = "whsec_"
_NEW_BYTES = 32
# The scheme's own bounds of a key.
_FEWEST_BYTES, _MOST_BYTES = 24, 64


def signature(secret: str, *, message_id: str, timestamp: int, body: bytes) -> str:
    """The value of ``webhook-signature``. ``timestamp`` in seconds since 1970; ValueError for a bad secret."""
    if fault := secret_fault(secret):
        raise ValueError(fault)
    signed = f"{message_id}.{timestamp}.".encode() + body
    digest = hmac.digest(_key(secret), signed, hashlib.sha256)
    return f"v1,{base64.b64encode(digest).decode()}"


def new_secret() -> str:
    """A fresh secret, as endpoint and receiver both keep it."""
    return PREFIX + base64.b64encode(secrets.token_bytes(_NEW_BYTES)).decode()


def secret_fault(text: str) -> str:
    """Why this cannot be a signing secret, or empty. Nothing of the text is repeated."""
    wanted = f"It must be {PREFIX} and {_FEWEST_BYTES} to {_MOST_BYTES} bytes in base64. Let one be made for you."
    if not text.startswith(PREFIX):
        return f"The signing secret does not begin with {PREFIX}. {wanted}"
    try:
        count = len(_key(text))
    except (binascii.Error, ValueError):
        return f"The signing secret is no base64 behind {PREFIX}. {wanted}"
    if not _FEWEST_BYTES <= count <= _MOST_BYTES:
        return f"The signing secret holds {count} bytes. {wanted}"
    return ""


def _key(secret: str) -> bytes:
    return base64.b64decode(secret.removeprefix(PREFIX), validate=True)
