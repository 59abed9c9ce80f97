"""The undertaker's thread: writes what dead messages mean, and says which may be acknowledged.

Items come and answers go through queues, since messages belong to the event loop. While the database is away an item is
tried again, with growing pauses, until it is back or the worker stops.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from django.db import connection

from jobs import log
from jobs.broker.pause import Pause
from jobs.domain.letters import Letter
from jobs.services.bury import bury
from jobs.services.keep_letters import keep_letters
from jobs.worker.dead_letter import DeadRun, read_letter

_LONGEST_PAUSE_SECONDS = 10.0
_BATCH = 100
_BATCH_BYTES = 4 * 1024**2


class Item(NamedTuple):
    """A message, with the run it is of; None when it is none of ours."""

    message: Any
    dead: DeadRun | None


class Burials:
    """``put`` starts the thread when there is work. ``on_done(message, is_stored)`` is called in the thread."""

    def __init__(self, on_done: Callable[[Any, bool], None]) -> None:
        self._on_done = on_done
        self._inbox: queue.SimpleQueue[Item | None] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def put(self, item: Item) -> None:
        """Hand over an item; from the event loop alone."""
        self._inbox.put(item)
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._work, name="undertaker", daemon=True)
            self._thread.start()

    def forget(self) -> None:
        """Leave out what waits: its channel is gone, and the broker delivers it again."""
        while self._next(block=False):
            pass

    def stop(self) -> None:
        """End the thread; what it has not written is delivered again."""
        self._stopping.set()
        self._inbox.put(None)

    def _work(self) -> None:
        while not self._stopping.is_set():
            letters = []
            for item in self._batch():
                if item.dead:
                    self._bury(item.message, item.dead)
                else:
                    letters.append(item.message)
            if letters:
                self._keep(letters)
            if self._inbox.empty():
                connection.close()  # burials are rare

    def _batch(self) -> list[Item]:
        """What is there: one item at least, of a hundred and four megabytes the first."""
        batch, size = [], 0
        item = self._next(block=True)
        while item:
            batch.append(item)
            size += len(item.message.body or b"")
            item = self._next(block=False) if len(batch) < _BATCH and size < _BATCH_BYTES else None
        return batch

    def _next(self, *, block: bool) -> Item | None:
        try:
            return self._inbox.get(block)
        except queue.Empty:
            return None

    def _bury(self, message: Any, dead: DeadRun) -> None:
        if self._tried_until_done(
            lambda: bury(dead.key, dead.token, reason=dead.reason, message=dead.message), dead.key
        ):
            self._on_done(message, True)

    def _keep(self, messages: Sequence[Any]) -> None:
        read = [(message, _readable(message)) for message in messages]
        letters = [letter for _, letter in read if letter]
        kept: list[bool] = []
        if letters and not self._tried_until_done(lambda: kept.extend(keep_letters(letters)), None):
            return
        answers = iter(kept)
        for message, letter in read:
            self._on_done(message, letter is not None and next(answers))

    def _tried_until_done(self, write: Callable[[], object], run: object) -> bool:
        """False when the worker stops first."""
        pause = Pause(_LONGEST_PAUSE_SECONDS)
        while not self._stopping.is_set():
            try:
                write()
            except Exception as error:  # the database is away, most likely
                pause.lengthen()
                log.error("undertaker.failed", run=run, error=repr(error), again_in=f"{pause.seconds:g}s")
                connection.close()
                self._stopping.wait(pause.seconds)
            else:
                return True
        return False


def _readable(message: Any) -> Letter | None:
    try:
        return read_letter(message)
    except Exception as error:  # whatever someone else put into its headers
        log.error("letter.refused", error=repr(error)[:500])
        return None
