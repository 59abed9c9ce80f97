"""Secrets at rest: encrypted with a key that follows from Django's ``SECRET_KEY``, readable through its fallbacks.

Fernet (AES-128-CBC and HMAC-SHA256) with a key of HKDF-SHA256 (RFC 5869) over ``SECRET_KEY``. Who copies the database
without the settings reads nothing.
"""

from __future__ import annotations

import base64
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from jobs.conf import secret_keys
from jobs.errors import UnreadableSecretError

_PURPOSE = b"beatkeeper: secrets of endpoints"


def seal(text: str) -> str:
    """Encrypt a text; an empty one stays empty."""
    return _cipher(secret_keys()).encrypt(text.encode()).decode() if text else ""


def unseal(sealed: str) -> str:
    """The text that was sealed; UnreadableSecretError when no key of today opens it."""
    return _opened(sealed, secret_keys()) if sealed else ""


@lru_cache(maxsize=1024)
def _opened(sealed: str, keys: tuple[str, ...]) -> str:
    try:
        return _cipher(keys).decrypt(sealed.encode()).decode()
    except InvalidToken as error:
        raise UnreadableSecretError(
            "The endpoint's secrets were sealed with another SECRET_KEY. Add that key to SECRET_KEY_FALLBACKS, or "
            "enter the secrets again."
        ) from error


@lru_cache(maxsize=8)
def _cipher(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(base64.urlsafe_b64encode(_derived(key))) for key in keys])


def _derived(key: str) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=_PURPOSE).derive(key.encode())
