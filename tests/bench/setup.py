"""A bench's stack, with this process's Django on its database and vhost."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import django

from scheduler_project import environment
from tests.support.stack import Stack, stack


@contextmanager
def bench_stack() -> Iterator[Stack]:
    """A fresh stack. Once a process, before anything of ``jobs`` that needs Django is imported."""
    environment.load()
    with tempfile.TemporaryDirectory() as folder, stack(Path(folder)) as live:
        os.environ.update(live.environment)
        django.setup()
        from tests.support import stack_app  # noqa: F401  # the app that has the bodies' tasks

        try:
            yield live
        except BaseException:
            _tell_logs(Path(folder))
            raise
        finally:
            from django.db import connections

            connections.close_all()


def _tell_logs(folder: Path) -> None:
    """The last lines of every program, since its log goes with the folder."""
    for log in sorted(folder.glob("*.log")):
        print(f"-- {log.name}", *log.read_text(errors="replace").splitlines()[-8:], sep="\n", file=sys.stderr)
