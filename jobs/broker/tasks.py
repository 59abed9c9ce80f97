"""What team code says of its tasks: whether they exist, their queue, their time limits."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from celery import Celery
from celery.app import app_or_default

from jobs import log
from jobs.conf import DEFAULT_QUEUE, HTTP_QUEUE, config

DEFAULT_TIME_LIMIT = 1800.0
_lock = threading.RLock()
_begun: set[int] = set()
_imported: set[int] = set()


@dataclass(frozen=True, slots=True)
class TaskDefaults:
    """A task's own values, None where team code set none. Times in seconds."""

    queue: str | None = None
    time_limit: float | None = None
    soft_time_limit: float | None = None
    is_known: bool = False


def task_defaults(task_name: str) -> TaskDefaults:
    """The task's own values; a task that this process does not know has none."""
    app = app_or_default()
    _import_tasks(app)
    task = app.tasks.get(task_name)
    if task is None:
        return TaskDefaults()
    queue = getattr(task, "queue", None) or _routed_queue(app, task_name)
    return TaskDefaults(queue, task.time_limit, task.soft_time_limit, is_known=True)


def run_queue(job_queue: str, task: str) -> str:
    """The queue of a run: the job's, else the task's own when it is one of ours, else the default.

    A job without a task calls an endpoint.
    """
    if not task:
        return job_queue or HTTP_QUEUE
    own = task_defaults(task).queue
    return job_queue or (own if own in config().queues else None) or DEFAULT_QUEUE


def queue_to_keep(queue: str, job_queue: str, task: str) -> str:
    """Where a run that waits in ``queue`` belongs, by its job as it is now.

    What a process does not know it does not judge: a task it has never heard of may have a queue of its own.
    """
    is_judged = bool(job_queue) or not task or task_defaults(task).is_known
    return run_queue(job_queue, task) if is_judged or queue == HTTP_QUEUE else queue


def time_limits(job_timeout: float | None, job_soft_timeout: float | None, task: str) -> tuple[float, float | None]:
    """The (hard, soft) limits of an attempt; a soft limit that is not below the hard one says nothing."""
    defaults = task_defaults(task)
    hard = job_timeout or defaults.time_limit or DEFAULT_TIME_LIMIT
    soft = job_soft_timeout or defaults.soft_time_limit
    return hard, soft if soft and soft < hard else None


def _routed_queue(app: Celery, task_name: str) -> str | None:
    """The queue that ``task_routes`` name, which is how Celery now wants a task's own queue to be said."""
    try:
        route = app.amqp.router.lookup_route(task_name) or {}
    except Exception as error:  # a team's router may want arguments that only a real call has
        log.warning("tasks.route_failed", task=task_name, error=repr(error))
        return None
    queue = route.get("queue")
    return getattr(queue, "name", queue)


def _import_tasks(app: Celery) -> None:
    """Import the task modules once a process, as a worker does at its start.

    Importing runs Django's checks, which may ask for a task's defaults in turn: those see what is there so far.
    """
    if id(app) in _imported:
        return
    with _lock:
        if id(app) in _begun:
            return
        _begun.add(id(app))
        try:
            app.loader.import_default_modules()
        except Exception as error:  # a team's module that fails to import must not stop other tasks' runs
            log.error("tasks.import_failed", error=repr(error))
        _imported.add(id(app))
