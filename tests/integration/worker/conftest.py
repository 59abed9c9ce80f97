"""One stack for all tests of the worker; one worker on the default queue that most of them share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from jobs.worker.clerk import Clerk
from tests.support.elsewhere import hang_up
from tests.support.fake_consumer import FakeConsumer
from tests.support.stack import stack
from tests.support.worker_stack import WorkerStack


@pytest.fixture(scope="session")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WorkerStack]:
    """A database and a vhost with no worker."""
    with stack(tmp_path_factory.mktemp("worker")) as made:
        driver = WorkerStack(made)
        try:
            yield driver
        finally:
            driver.close()


@pytest.fixture(scope="session")
def shared(workers: WorkerStack) -> WorkerStack:
    """The stack with a prefork worker on the default queue; tests leave it running."""
    workers.worker(concurrency=3)
    return workers


@pytest.fixture
def consumer() -> FakeConsumer:
    return FakeConsumer()


@pytest.fixture
def clerk(consumer: FakeConsumer) -> Iterator[Clerk]:
    yield Clerk(consumer)
    hang_up()
