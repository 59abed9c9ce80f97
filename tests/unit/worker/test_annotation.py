"""What a task class keeps of its own."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from celery import Celery, Task
from celery.utils.nodenames import default_nodename
from celery.worker.request import Request
from kombu import Queue

from jobs.install import install
from jobs.worker.celery_settings import CURL_POOL, fit_worker, prepare_worker
from jobs.worker.request import RunRequest


class TeamRequest(Request):
    """A request class of the team's own."""


class TeamTask(Task):
    """A base class of the team's own."""

    abstract = True
    Request = TeamRequest

    def retry(self, *args: Any, **options: Any) -> str:
        return "the team's"


def make_app(**conf: Any) -> Celery:
    app = Celery("team", set_as_current=False)
    app.conf.update(conf)
    install(app)
    return app


def test_every_task_may_be_a_run_whatever_its_base() -> None:
    app = make_app()

    @app.task(shared=False)
    def plain() -> None: ...

    @app.task(base=TeamTask, shared=False)
    def own() -> None: ...

    assert plain.Request is RunRequest
    assert issubclass(own.Request, RunRequest)
    assert issubclass(own.Request, TeamRequest)


def test_outside_of_a_run_a_team_s_own_retry_is_called() -> None:
    app = make_app()

    @app.task(base=TeamTask, bind=True, shared=False)
    def own(self: Any) -> Any:
        return self.retry()

    assert own() == "the team's"


def test_a_team_s_own_annotations_stay() -> None:
    app = make_app(task_annotations={"*": {"rate_limit": "10/s"}})

    @app.task(shared=False)
    def plain() -> None: ...

    assert plain.rate_limit == "10/s"
    assert plain.Request is RunRequest


def prepared(app: Celery, queues: str, hostname: str = "") -> Any:
    """A worker that is about to be built."""
    worker = SimpleNamespace(app=app, hostname=default_nodename(hostname))
    prepare_worker(worker, app.conf, {"queues": queues})
    return worker


def test_a_worker_of_other_queues_keeps_celery_s_consumer() -> None:
    app = make_app()
    for queues in ("", "celery", "jobs.of.a.team,celery"):
        prepared(app, queues)
    assert app.conf.worker_consumer == "celery.worker.consumer:Consumer"
    assert app.conf.broker_channel_error_retry is False
    assert set(app.amqp.queues) == {"celery"}


@pytest.mark.parametrize("queues", [[Queue("jobs.fast")], {"jobs.fast": {}, "celery": {}}])
def test_our_queue_named_by_the_settings_alone_is_ours_too(queues: Any) -> None:
    """I4: a plain consumer would run its messages without a claim."""
    app = make_app(task_queues=queues)
    prepared(app, "")
    assert app.conf.worker_consumer == "jobs.worker.consumer:JobsConsumer"
    assert app.amqp.queues.consume_from["jobs.fast"].queue_arguments["x-queue-type"] == "quorum"


def test_an_excluded_queue_is_not_consumed_and_so_not_ours() -> None:
    app = make_app(task_queues=[Queue("jobs.fast"), Queue("celery")])
    prepare_worker(SimpleNamespace(app=app), app.conf, {"queues": None, "exclude_queues": ["jobs.fast"]})
    assert app.conf.worker_consumer == "celery.worker.consumer:Consumer"


def test_b097_a_worker_of_our_queue_finds_a_dead_line_soon_unless_the_team_says_otherwise() -> None:
    ours, theirs = make_app(), make_app(broker_heartbeat=45)
    for app in (ours, theirs):
        prepared(app, "jobs.fast")
    assert (ours.conf.broker_heartbeat, theirs.conf.broker_heartbeat) == (30, 45)


def test_a_worker_of_our_queue_gets_ours_and_a_name_of_its_own() -> None:
    app = make_app()
    assert prepared(app, "jobs.fast").hostname != prepared(app, "jobs.fast").hostname
    assert prepared(app, "jobs.fast", "named@here").hostname == "named@here"
    assert app.conf.worker_consumer == "jobs.worker.consumer:JobsConsumer"
    assert app.conf.broker_channel_error_retry is True
    assert app.amqp.queues["jobs.fast"].queue_arguments["x-queue-type"] == "quorum"


@pytest.mark.parametrize(
    ("queues", "asked", "gets"),
    [("jobs.fast", 4, 100), ("jobs.default", 4, 1), ("jobs.default,jobs.fast", 4, 1), ("jobs.fast", 7, 7)],
)
def test_a_worker_of_our_queues_hoards_nothing_unless_told_so(queues: str, asked: int, gets: int) -> None:
    app = make_app()
    worker = prepared(app, queues)
    app.amqp.queues.select(queues.split(","))
    worker.prefetch_multiplier, worker.pool_cls = asked, "prefork"
    fit_worker(worker)
    assert worker.prefetch_multiplier == gets


def test_a_worker_of_other_queues_keeps_its_prefetch() -> None:
    worker = SimpleNamespace(app=make_app(), prefetch_multiplier=4, pool_cls="prefork")
    fit_worker(worker)
    assert (worker.prefetch_multiplier, worker.pool_cls) == (4, "prefork")


@pytest.mark.parametrize(
    ("queues", "asked", "gets"),
    [
        ("jobs.http", "prefork", CURL_POOL),
        ("jobs.http", "threads", "threads"),
        ("jobs.default,jobs.http", "prefork", "prefork"),
        ("jobs.default", "prefork", "prefork"),
    ],
)
def test_a_worker_of_http_runs_alone_gets_the_pool_that_makes_calls(queues: str, asked: str, gets: str) -> None:
    worker = prepared(make_app(), queues)
    worker.app.amqp.queues.select(queues.split(","))
    worker.prefetch_multiplier, worker.pool_cls = 4, asked
    fit_worker(worker)
    assert worker.pool_cls == gets
