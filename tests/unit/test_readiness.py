"""Waiting for descriptors of any number."""

from __future__ import annotations

import fcntl
import os
import resource
from collections.abc import Iterator

import pytest

from jobs.readiness import readable

HIGH = 1500  # select.select ends at 1,023


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """The two ends of a pipe; the one to read from has a high number."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2 * HIGH), hard))
    low, writer = os.pipe()
    reader = fcntl.fcntl(low, fcntl.F_DUPFD, HIGH)
    os.close(low)
    yield reader, writer
    for end in (reader, writer):
        try:
            os.close(end)
        except OSError:
            continue
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_descriptor_above_1023_is_waited_for(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    assert reader >= HIGH
    assert readable([reader], 0.01) == []
    os.write(writer, b"x")
    assert readable([reader], 10) == [reader]


def test_an_end_makes_readable(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    os.close(writer)
    assert readable([reader], 10) == [reader]


def test_time_that_is_over_is_not_waited_for(pipe: tuple[int, int]) -> None:
    assert readable([pipe[0]], -1) == []


def test_what_is_closed_here_is_an_error_and_no_loop_without_a_wait(pipe: tuple[int, int]) -> None:
    os.close(pipe[0])
    with pytest.raises(OSError, match="Bad file descriptor"):
        readable([pipe[0]], 10)
