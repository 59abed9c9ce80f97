"""The check of a call's signature (Standard Webhooks 1.0.0) that `docs/how-to/verify-signatures.md` gives to receivers.

It stands alone on purpose: who copies it needs nothing of Beatkeeper. A test holds the two texts together.
"""

from __future__ import annotations

import base64
import hmac
import time
from collections.abc import Mapping


def verify(secret: str, headers: Mapping[str, str], body: bytes) -> bool:
    """Whether the holder of the secret sent this body in the last five minutes. Header names are in lower case."""
    timestamp = headers.get("webhook-timestamp", "")
    if not (timestamp.isdecimal() and len(timestamp) < 12 and abs(time.time() - int(timestamp)) <= 300):
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers.get('webhook-id', '')}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(key, signed, "sha256"))
    given = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(expected, signature) for signature in given)
