"""Messages as they stand on the wire: nothing decoded, nothing decompressed."""

from __future__ import annotations

from typing import Any

from kombu.transport.pyamqp import Message


class _Untouched(Message):
    """kombu decompresses the body where a header names a compression; this one never saw the header."""

    def __init__(self, message: Any, channel: Any = None, **options: Any) -> None:
        headers = message.properties.get("application_headers") or {}
        compression = headers.pop("compression", None)
        super().__init__(message, channel=channel, **options)
        if compression is not None:
            self.headers["compression"] = compression


def leave_untouched(channel: Any) -> None:
    """Make a channel hand over bodies as the bytes that came, whatever encoding the message claims."""
    channel.auto_decode = False
    channel.Message = _Untouched
