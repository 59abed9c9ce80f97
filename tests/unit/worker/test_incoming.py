"""How the event loop reads from the broker."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from amqp.exceptions import RecoverableConnectionError, UnexpectedFrame
from amqp.transport import SSLTransport, TCPTransport

from jobs.worker.incoming import Frame, read_in_pieces


def _frame(payload: bytes, end: bytes = b"\xce") -> bytes:
    return struct.pack(">BHI", 3, 1, len(payload)) + payload + end


class Line:
    """A connection whose other end is ours to write to, and the loop that reads it; both as far as they matter here."""

    def __init__(self) -> None:
        ours, self.broker = socket.socketpair()
        self.transport = TCPTransport("broker:5672")
        self.transport.sock = ours
        self.transport._setup_transport()
        self.transport.connected = True
        self.frames: list[Frame] = []
        self.on_inbound_frame: Callable[[Frame], object] = self.frames.append
        self._read: Callable[[], object] | None = None
        read_in_pieces(self, self)

    def add_reader(self, sock: socket.socket, callback: Callable[..., object], *args: Any) -> None:
        assert sock is self.transport.sock
        self._read = lambda: callback(*args)

    def read(self) -> None:
        """One turn of the loop."""
        assert self._read is not None
        self._read()

    def turn(self, *pieces: bytes) -> list[bytes]:
        """Let the broker send this and the loop read after each piece; the payloads of all frames so far."""
        for piece in pieces:
            self.broker.sendall(piece)
            self.read()
        return [payload for _, _, payload in self.frames]

    def close(self) -> None:
        self.transport.sock.close()
        self.broker.close()


@pytest.fixture
def line() -> Iterator[Line]:
    made = Line()
    yield made
    made.close()


def test_all_frames_of_a_piece_are_given_out_in_their_order(line: Line) -> None:
    assert line.turn(_frame(b"one") + _frame(b"") + _frame(b"three")) == [b"one", b"", b"three"]
    assert line.frames[0][:2] == (3, 1)


def test_a_frame_may_come_byte_by_byte(line: Line) -> None:
    sent = _frame(b"one") + _frame(b"two")

    assert line.turn(*(sent[at : at + 1] for at in range(len(sent)))) == [b"one", b"two"]


def test_a_frame_larger_than_a_piece_is_put_together(line: Line) -> None:
    large = b"x" * 20_000

    line.broker.sendall(_frame(large))

    assert line.turn(b"", b"", _frame(b"next")) == [large, b"next"]


def test_nothing_to_read_is_no_error_and_does_not_block(line: Line) -> None:
    assert line.turn(b"") == []


def test_a_time_limit_on_the_socket_ends_no_connection(line: Line) -> None:
    line.transport.sock.settimeout(0.001)

    assert line.turn(b"") == []
    assert line.transport.connected


def test_who_waits_for_an_answer_within_a_frame_reads_on_behind_it(line: Line) -> None:
    read_on: list[bytes] = []

    def wait_for_the_next(_: Frame) -> None:
        if not read_on:
            read_on.append(line.transport.read_frame()[2])
            line.on_inbound_frame = line.frames.append

    line.on_inbound_frame = wait_for_the_next

    assert line.turn(_frame(b"request") + _frame(b"answer") + _frame(b"later")) == [b"later"]
    assert read_on == [b"answer"]


def test_a_closed_connection_is_one_that_celery_makes_anew(line: Line) -> None:
    line.broker.close()

    with pytest.raises(ConnectionResetError):
        line.read()
    assert not line.transport.connected
    with pytest.raises(RecoverableConnectionError):
        line.read()


def test_a_frame_without_its_end_is_refused(line: Line) -> None:
    with pytest.raises(UnexpectedFrame):
        line.turn(_frame(b"one", end=b"\x00"))


def test_no_frame_is_given_out_once_the_connection_is_closed(line: Line) -> None:
    def close(frame: Frame) -> None:
        line.frames.append(frame)
        line.transport.connected = False

    line.on_inbound_frame = close

    assert line.turn(_frame(b"close") + _frame(b"more")) == [b"close"]


def test_a_connection_over_tls_is_left_to_celery() -> None:
    plain, over_tls = (SimpleNamespace(transport=made("broker:5671")) for made in (TCPTransport, SSLTransport))
    read: list[object] = []
    loop = SimpleNamespace(add_reader=lambda sock, callback, connection: read.append(connection))

    for connection in (plain, over_tls):
        read_in_pieces(connection, loop)

    assert read == [plain]
