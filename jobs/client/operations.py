"""Operations: read one, wait for its end, cancel it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from jobs import clock
from jobs.client import sending
from jobs.client.errors import OperationFailedError, OperationOpenError, UnexpectedAnswerError
from jobs.client.transport import Reply, Transport

_LONGEST_WAIT_SECONDS = 20.0
_USUAL_PAUSE_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationError:
    """Why a run ended without success: its status, such as ``dead``, and its last error."""

    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """A run to wait for, as it stood when it was read. ``run`` is its key, ``metadata`` has job, attempts, times.

    When it is done, ``result`` is what the run returned, or ``error`` says why there is nothing.
    """

    name: str
    run: str
    status: str
    done: bool
    metadata: Mapping[str, Any]
    result: Any = None
    error: OperationError | None = None
    calls: OperationCalls = field(repr=False, compare=False)

    def wait(self, timeout: float | None = None) -> Operation:
        """See :meth:`OperationCalls.wait`."""
        return self.calls.wait(self, timeout)

    def raise_for_error(self) -> Operation:
        """This operation if its run has succeeded; else OperationFailedError, or OperationOpenError."""
        if not self.done:
            raise OperationOpenError(self.name, self.status)
        if self.error is not None:
            raise OperationFailedError(self.name, self.error.code, self.error.message)
        return self


class OperationCalls:
    """``/v1/operations``"""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def operation(self, name: str) -> Operation:
        """The operation of this name, as it stands."""
        return self._operation(self._transport.get(f"/operations/{sending.name_in_path('operation', name)}"))

    def wait(self, operation: Operation | str, timeout: float | None = None) -> Operation:
        """The operation when it is done. OperationOpenError after ``timeout`` seconds; None waits without an end.

        It asks at least once. A run that ended without success is no error here: see ``Operation.error``.
        """
        name = operation if isinstance(operation, str) else operation.name
        path = f"/operations/{sending.name_in_path('operation', name)}:wait"
        end = None if timeout is None else clock.monotonic() + sending.seconds("timeout", timeout)
        while True:
            began = clock.monotonic()
            asked = _LONGEST_WAIT_SECONDS if end is None else max(0.0, min(_LONGEST_WAIT_SECONDS, end - began))
            reply = self._transport.get(path, {"timeout": round(asked, 3)}, patience=asked)
            found, now = self._operation(reply), clock.monotonic()
            if found.done:
                return found
            if end is not None and now >= end:
                raise OperationOpenError(found.name, found.status)
            if now - began < asked:  # a busy server does not hold us: ask less often then
                threading.Event().wait(_pause_seconds(reply, end, now))

    def cancel_operation(self, name: str, *, key: str | None = None) -> Operation:
        """End a queued one at once, ask a running one to end; ConflictError when it is done."""
        path = f"/operations/{sending.name_in_path('operation', name)}:cancel"
        return self._operation(self._transport.post(path, key=key))

    def _operation(self, reply: Reply) -> Operation:
        found = reply.document
        try:
            error, response = found.get("error"), found.get("response") or {}
            return Operation(
                name=found["name"],
                run=found["metadata"]["run"],
                status=found["metadata"]["status"],
                done=found["done"],
                metadata=found["metadata"],
                result=response.get("result"),
                error=OperationError(code=error["code"], message=error["message"]) if error else None,
                calls=self,
            )
        except (KeyError, TypeError, AttributeError) as wrong:
            raise UnexpectedAnswerError(f"The answer is no operation of this API: {wrong!r}.") from wrong


def _pause_seconds(reply: Reply, end: float | None, now: float) -> float:
    pause = _USUAL_PAUSE_SECONDS if reply.retry_after is None else reply.retry_after
    return pause if end is None else min(pause, max(0.0, end - now))
