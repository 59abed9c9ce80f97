"""What team code says of its tasks."""

from __future__ import annotations

from typing import Any

import pytest
from celery.app import app_or_default
from celery.app.routes import MapRoute

from jobs.broker.tasks import TaskDefaults, run_queue, task_defaults, time_limits
from jobs.conf import DEFAULT_QUEUE, FAST_QUEUE


@pytest.fixture
def task() -> Any:
    app = app_or_default()

    @app.task(name="tests.limited", shared=False, time_limit=60, soft_time_limit=50)
    def limited() -> None:
        """Does nothing."""

    app.finalize()
    made = app.tasks["tests.limited"]
    made.queue = FAST_QUEUE
    yield made
    app.tasks.pop("tests.limited")


def test_an_unknown_task_has_no_values_of_its_own() -> None:
    assert task_defaults("tests.nowhere") == TaskDefaults()
    assert run_queue("", "tests.nowhere") == DEFAULT_QUEUE
    assert time_limits(None, None, "tests.nowhere") == (1800, None)


def test_a_tasks_own_values_fill_what_the_job_leaves_open(task: Any) -> None:
    assert task_defaults("tests.limited") == TaskDefaults(FAST_QUEUE, 60, 50, is_known=True)
    assert run_queue("", "tests.limited") == FAST_QUEUE
    assert time_limits(None, None, "tests.limited") == (60, 50)


def test_the_jobs_values_come_first(task: Any) -> None:
    assert run_queue(DEFAULT_QUEUE, "tests.limited") == DEFAULT_QUEUE
    assert time_limits(600, 500, "tests.limited") == (600, 500)


def test_a_queue_that_is_not_ours_stays_with_ordinary_celery(task: Any) -> None:
    task.queue = "team.own"

    assert run_queue("", "tests.limited") == DEFAULT_QUEUE


def test_a_route_names_the_queue_where_the_task_does_not(task: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    app = app_or_default()
    del task.queue
    monkeypatch.setattr(app.amqp.router, "routes", [MapRoute({"tests.*": {"queue": FAST_QUEUE}})])

    assert run_queue("", "tests.limited") == FAST_QUEUE


def test_a_router_that_fails_counts_for_nothing(task: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*args: Any, **kwargs: Any) -> Any:
        raise ValueError(args)

    del task.queue
    monkeypatch.setattr(app_or_default().amqp.router, "routes", [fails])

    assert run_queue("", "tests.limited") == DEFAULT_QUEUE


def test_a_soft_limit_over_the_hard_one_says_nothing(task: Any) -> None:
    assert time_limits(30, None, "tests.limited") == (30, None)
