"""Another session of the database: a thread with a connection of its own, which does what it is told."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, TypeVar

from django.db import connection

T = TypeVar("T")


class Elsewhere:
    """``with Elsewhere() as there: there.do(work)`` waits for the work; ``there.begin(work)`` does not."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="elsewhere")

    def __enter__(self) -> Elsewhere:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._thread.submit(hang_up).result()
        self._thread.shutdown()

    def do(self, work: Callable[..., T], *args: Any, **options: Any) -> T:
        return self.begin(work, *args, **options).result(timeout=30)

    def begin(self, work: Callable[..., T], *args: Any, **options: Any) -> Future[T]:
        return self._thread.submit(work, *args, **options)


def sql(statement: str, *params: Any) -> list[Any]:
    """Run a statement on this thread's connection; its rows, if it has any."""
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        return cursor.fetchall() if cursor.description else []


def hang_up() -> None:
    """Close this thread's connection."""
    connection.close()
