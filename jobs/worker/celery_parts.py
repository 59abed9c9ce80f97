"""Celery's inner parts that we build on, with what we use of them.

The types that are published describe an older release and leave these parts out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    RUNNING: int

    class ExceptionInfo:
        """An exception as a pool carries it."""

        exception: BaseException
        traceback: Any

    class ExceptionWithTraceback(Exception):  # noqa: N818  # billiard's name
        """A wrapper that some pools put around the exception."""

        exc: BaseException

    class Retry(Exception):  # noqa: N818  # Celery's name
        """Raised by a body that is to be tried again."""

        exc: BaseException | None
        when: Any

        def __init__(self, *, exc: Any, when: Any) -> None: ...

    class BasePool:
        """What bodies run in."""

        def __init__(self, *args: Any, **options: Any) -> None: ...
        def _get_info(self) -> dict[str, Any]: ...

    class StartStopStep:
        """A step in a consumer's life."""

    class _Open:
        def __init__(self, *args: Any, **options: Any) -> None: ...
        def __getattr__(self, name: str) -> Any: ...

    class Request(_Open):
        """A message on its way through a pool."""

        def on_accepted(self, *args: Any, **options: Any) -> Any: ...
        def on_failure(self, *args: Any, **options: Any) -> Any: ...
        def on_timeout(self, *args: Any, **options: Any) -> Any: ...
        def acknowledge(self, *args: Any, **options: Any) -> Any: ...
        def reject(self, *args: Any, **options: Any) -> Any: ...
        def _announce_revoked(self, *args: Any, **options: Any) -> Any: ...
        def _announce_cancelled(self, *args: Any, **options: Any) -> Any: ...

    class Consumer(_Open):
        """A worker's consumer of task messages."""

        def connect(self) -> Any: ...
        def on_close(self) -> None: ...
        def ensure_connected(self, *args: Any, **options: Any) -> Any: ...
        def on_connection_error_after_connected(self, *args: Any, **options: Any) -> Any: ...
        def stop(self) -> None: ...
        def update_strategies(self, *args: Any, **options: Any) -> Any: ...
        def on_ready(self, *args: Any, **options: Any) -> Any: ...
        def create_task_handler(self, *args: Any, **options: Any) -> Any: ...
        def on_unknown_task(self, *args: Any, **options: Any) -> Any: ...
        def on_decode_error(self, *args: Any, **options: Any) -> Any: ...

    def bound_open_broker_sockets(connection: Any, timeout: float) -> None:
        """Bound each wait on the sockets of a connection."""

else:
    from billiard.einfo import ExceptionInfo, ExceptionWithTraceback
    from celery.bootsteps import RUN as RUNNING
    from celery.bootsteps import StartStopStep
    from celery.concurrency.base import BasePool
    from celery.exceptions import Retry
    from celery.utils.threads import bound_open_broker_sockets
    from celery.worker.consumer import Consumer
    from celery.worker.request import Request

__all__ = [
    "RUNNING",
    "BasePool",
    "Consumer",
    "ExceptionInfo",
    "ExceptionWithTraceback",
    "Request",
    "Retry",
    "StartStopStep",
    "bound_open_broker_sockets",
]
