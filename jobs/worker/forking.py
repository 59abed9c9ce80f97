"""Fork children while no thread of the parent is in the middle of a log line.

The clerk and others log from threads of their own. Python renews the locks of log handlers in a forked child, but not
the lock inside a buffered stream: a child that is forked while another thread writes to one would wait for ever at its
first log line, and the run that it has would neither end nor be given back. A stream is written to under its handler's
lock, so a fork that holds the handlers' locks finds the streams at rest.
"""

from __future__ import annotations

import logging
import os

# A log that takes nothing for so long stops the parent too, sooner or later.
PATIENCE_SECONDS = 2.0

_held: list[logging.Handler] = []
_is_kept = False


def keep_streams_whole() -> None:
    """From now on each fork of this process waits until no other thread writes to a log, two seconds at most a log."""
    global _is_kept
    if not _is_kept:
        _is_kept = True
        os.register_at_fork(before=_hold, after_in_parent=_let_go, after_in_child=_held.clear)


def _hold() -> None:
    for handler in _handlers():
        if handler.lock is not None and handler.lock.acquire(timeout=PATIENCE_SECONDS):
            _held.append(handler)


def _let_go() -> None:
    while _held:
        _held.pop().release()


def _handlers() -> set[logging.Handler]:
    """Those of all loggers."""
    known = logging.root.manager.loggerDict.values()
    loggers = [logging.root, *(logger for logger in known if isinstance(logger, logging.Logger))]
    return {handler for logger in loggers for handler in logger.handlers}
