"""The beginning of a message's body as people may see it: text where it is text, masked, bounded."""

from __future__ import annotations

import base64
import binascii

from jobs.domain.bounds import storable_text
from jobs.domain.masking import mask_text

MAX_PREVIEW = 4096
_SHOWN_BYTES = 256


def preview_body(start: bytes, *, size: int, content_encoding: str = "") -> str:
    """From the first ``MAX_PREVIEW`` bytes of a body of ``size``. Base64, which Celery may use, is undone."""
    raw = _undone(start) if content_encoding == "base64" else start
    rest = f"\n… ({size:,} bytes in all)" if size > len(start) else ""
    return f"{mask_text(_text(raw))}{rest}"


def _undone(start: bytes) -> bytes:
    try:
        return base64.b64decode(start[: len(start) // 4 * 4], validate=True)
    except binascii.Error:
        return start


def _text(raw: bytes) -> str:
    """Bytes that are no text are shown as hexadecimal digits; the last character may be cut in half."""
    text = raw.decode("utf-8", "replace")
    odd = sum(not (letter.isprintable() or letter in "\r\n\t") for letter in text) + text.count(
        "\N{REPLACEMENT CHARACTER}"
    )
    return raw[:_SHOWN_BYTES].hex(" ") if odd * 10 > len(text) else storable_text(text)
