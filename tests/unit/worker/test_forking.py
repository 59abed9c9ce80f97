"""A child never waits for a stream that another thread of its parent was writing to when it was forked."""

from __future__ import annotations

import subprocess
import sys

# A thread is in the middle of a line: the pipe is full, and emptied only later. The child writes elsewhere.
_PROGRAM = """
import logging, os, select, threading, time
from jobs.worker.forking import keep_streams_whole

reader, writer = os.pipe()
stream = os.fdopen(writer, "w")
logging.basicConfig(stream=stream, level=logging.INFO)
if {kept}:
    keep_streams_whole()

def drain():
    while os.read(reader, 65536):
        pass

threading.Thread(target=logging.info, args=("x" * 1_000_000,), daemon=True).start()
full = time.monotonic() + 10
while select.select([], [writer], [], 0)[1] and time.monotonic() < full:
    pass
if {kept}:  # the line ends soon, while the fork waits for it; else it has no end
    threading.Timer(0.3, drain).start()
ending, held = os.pipe()  # which reads as ended when the child is gone
child = os.fork()
if child == 0:
    os.dup2(os.open(os.devnull, os.O_WRONLY), writer)
    logging.info("The child's first line.")
    os._exit(0)
os.close(held)
has_ended = select.select([ending], [], [], 3)[0]
if not has_ended:
    os.kill(child, 9)
os._exit(0 if has_ended else 7)
"""


def _forked(*, kept: bool) -> int:
    program = _PROGRAM.format(kept=kept)
    return subprocess.run([sys.executable, "-c", program], timeout=30, check=False).returncode


def test_a_fork_waits_for_the_end_of_a_line() -> None:
    assert _forked(kept=True) == 0


def test_without_that_the_child_hangs_at_its_first_line() -> None:
    assert _forked(kept=False) == 7
