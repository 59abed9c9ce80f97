"""One stack for all tests of the worker; one worker on the default queue that most of them share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

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
