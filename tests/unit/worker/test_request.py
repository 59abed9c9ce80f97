"""A run that ends before its body starts leaves nothing in the worker."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from celery import Celery
from celery.exceptions import TaskRevokedError
from celery.worker import state
from celery.worker.request import create_request_cls

from jobs import clock
from jobs.domain.messages import RunKey
from jobs.domain.outcomes import Attempt, Kind, Outcome
from jobs.domain.policies import ConcurrencyPolicy
from jobs.install import install
from jobs.store.http_targets import Target
from jobs.store.leases import Lease
from jobs.worker.hands import Hands
from jobs.worker.hold import Ending, Hold

DISABLED = Target("the-endpoint", "https://127.0.0.1/", False, 5.0, (), None, "", "")


def _body() -> None: ...


class Clerk:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.outcomes: list[Kind] = []

    def told(self, _hold: Hold, outcome: Outcome) -> None:
        self.outcomes.append(outcome.kind)


class Loop:
    """The consumer of one task, as far as a run's start goes: what Celery's own handler does with a message."""

    pool = SimpleNamespace(uses_semaphore=True, apply_async=None)

    def __init__(self) -> None:
        self.handlers = {"body": self.handle}
        self.before_giving: Callable[[Any], Any] | None = None
        self._app = Celery("team", set_as_current=False)
        install(self._app)
        self._task = self._app.task(_body, name="body", shared=False)
        self._class = create_request_cls(self._task.Request, self._task, self.pool, "here", None, app=self._app)

    def call_soon(self, act: Any, *args: Any) -> None:
        act(*args)

    def handle(self, message: Any, *_: Any) -> None:
        request = self._class(
            message, app=self._app, task=self._task, headers=message.headers, body=((), {}, {}), decoded=True
        )
        state.task_reserved(request)
        if self.before_giving:
            self.before_giving(request)
        with pytest.raises(TaskRevokedError):
            request.execute_using_pool(self.pool)


@pytest.fixture
def loop() -> Iterator[Loop]:
    yield Loop()
    state.requests.clear()


def make_hold(clerk: Clerk, **fields: Any) -> Hold:
    key = RunKey(1, clock.utcnow())
    headers = {"id": str(uuid.uuid4()), "task": "body", "lang": "py"}
    message = SimpleNamespace(
        headers=headers, content_type="", content_encoding="", delivery_info={}, properties={}, body=""
    )
    made = Hold(
        lease=Lease(key, 1, uuid.uuid4()),
        message=message,
        job="the-job",
        attempt=Attempt(1, 5),
        counted=False,
        concurrency=ConcurrencyPolicy.ALLOW,
        clerk=clerk,  # type: ignore[arg-type]  # all of it that a request knows
        lease_until=clock.monotonic() + 30,
    )
    for name, value in fields.items():
        setattr(made, name, value)
    return made


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        ({"start_until": 0.0}, Kind.MISSED),
        ({"target": DISABLED}, Kind.REJECTED),
    ],
)
def test_a_run_that_ends_before_it_is_given_to_the_pool_is_forgotten(
    loop: Loop, fields: dict[str, Any], outcome: Kind
) -> None:
    clerk = Clerk()
    Hands(loop).start([make_hold(clerk, **fields)])
    assert clerk.outcomes == [outcome]
    assert state.requests == {}


def test_a_run_whose_start_fails_is_forgotten(loop: Loop) -> None:
    def fails(_request: Any) -> None:
        raise RuntimeError("no")

    clerk = Clerk()
    loop.before_giving = fails
    Hands(loop).start([make_hold(clerk)])
    assert clerk.outcomes == [Kind.FAILED]
    assert state.requests == {}


def test_a_run_asked_to_end_while_it_is_being_started_is_forgotten(loop: Loop) -> None:
    def cancelled(request: Any) -> None:
        request.hold.ending = Ending.CANCELLED

    clerk = Clerk()
    loop.before_giving = cancelled
    Hands(loop).start([make_hold(clerk)])
    assert clerk.outcomes == [Kind.CANCELLED]
    assert state.requests == {}
