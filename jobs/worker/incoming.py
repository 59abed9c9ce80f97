"""Read what the broker sends in large pieces.

py-amqp reads a frame in three calls to the system, with two more around them for its time limit, and kombu takes one
message, which has three frames, a turn of the loop. At each of these calls another thread takes the interpreter.
"""

from __future__ import annotations

import errno
import socket
import struct
from collections.abc import Iterator
from typing import Any

from amqp.exceptions import RecoverableConnectionError, UnexpectedFrame
from amqp.transport import TCPTransport

# What is read at once, some ten messages: each frame that is taken from it moves the rest.
_PIECE_BYTES = 8192
_HEAD = struct.Struct(">BHI")
_FRAME_END = 0xCE
# None: a time limit that someone has set on the socket is over.
_NOTHING_YET = (errno.EAGAIN, None)
Frame = tuple[int, int, bytes]


def read_in_pieces(connection: Any, hub: Any) -> None:
    """Have the loop read this connection so. One over TLS is left as it is: a poll does not see what TLS holds back."""
    if isinstance(getattr(connection, "transport", None), TCPTransport):
        hub.add_reader(connection.transport.sock, _read, connection)


def _read(connection: Any) -> None:
    transport = connection.transport
    if transport is None or not transport.connected:
        raise RecoverableConnectionError("The connection to the broker is closed.")
    try:
        piece = transport.sock.recv(_PIECE_BYTES, socket.MSG_DONTWAIT)
        if not piece:
            raise ConnectionResetError(errno.ECONNRESET, "The broker closed the connection.")
    except OSError as error:
        if error.errno in _NOTHING_YET:
            return
        transport.connected = False
        raise
    transport._read_buffer += piece
    for frame in _whole_frames(transport):
        connection.on_inbound_frame(frame)


def _whole_frames(transport: Any) -> Iterator[Frame]:
    """The transport's buffer is right at each of them: whoever gets a frame may wait for an answer of the broker, and
    so read on from there.
    """
    while transport.connected and len(buffer := transport._read_buffer) > _HEAD.size:
        kind, channel, size = _HEAD.unpack_from(buffer)
        end = _HEAD.size + size
        if len(buffer) <= end:
            return
        if buffer[end] != _FRAME_END:
            raise UnexpectedFrame(f"A frame of {size} bytes does not end where it should.")
        transport._read_buffer = buffer[end + 1 :]
        yield kind, channel, buffer[_HEAD.size : end]
