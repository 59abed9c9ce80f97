"""Wait until files can be read. ``select.select`` takes no descriptor above 1,023; this takes any."""

from __future__ import annotations

import errno
import os
import select
from collections.abc import Iterable
from typing import Any


def readable(files: Iterable[Any], seconds: float) -> list[int]:
    """Descriptors of those that can be read, or have ended; none when ``seconds`` have passed.

    Each is a descriptor or has a ``fileno``. OSError for one that is closed on our side.
    """
    poller = select.poll()
    for file in files:
        poller.register(file, select.POLLIN)
    found = poller.poll(max(0.0, seconds) * 1000)
    if any(event & select.POLLNVAL for _, event in found):
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    return [descriptor for descriptor, _ in found]
