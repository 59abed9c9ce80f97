"""What workers need of Celery's settings."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from celery import Celery
from celery.app.defaults import DEFAULTS, NAMESPACES
from celery.concurrency import get_implementation
from celery.utils.nodenames import default_nodename, nodename
from celery.utils.text import str_to_list

from jobs.broker import topology
from jobs.conf import DEFAULT_QUEUE, FAST_QUEUE, HTTP_QUEUE, config

FOR_OUR_WORKERS = {
    "worker_consumer": "jobs.worker.consumer:JobsConsumer",
    # A broker's delivery timeout closes the channel: reconnect, the copy is denied.
    "broker_channel_error_retry": True,
    # Runs outlive a lost connection; the copy of their message is denied.
    "worker_cancel_long_running_tasks_on_connection_loss": False,
}
WHERE_NOTHING_IS_SET: dict[str, Any] = {
    # A line that was cut without a word is given up after three of these, and so are the messages on it. Celery's two
    # minutes would be six of silence. Much less would not do: while it connects Celery sends none, for half a minute
    # where one of several brokers cannot be reached, and the others would hang up on it again and again.
    "broker_heartbeat": 30,
}
FAST_PREFETCH = 100
"""Messages a child."""
CALLS_AT_ONCE = 1000
"""Calls in flight of a worker of HTTP runs, unless ``--concurrency`` says otherwise."""
CURL_POOL = "jobs.worker.curl_pool:CurlPool"


def annotate_tasks(app: Celery) -> None:
    """Add our annotation to the team's, and the platform's own tasks."""
    import_module("jobs.worker.http_task")
    import_module("jobs.worker.webhook_task")
    from jobs.worker.annotation import RunAnnotation

    theirs = app.conf.task_annotations or ()
    if not isinstance(theirs, (list, tuple)):
        theirs = (theirs,)
    app.conf.task_annotations = [*theirs, RunAnnotation()]


def prepare_worker(instance: Any, conf: Any, options: dict[str, Any], **_: Any) -> None:
    """A worker starts; one that consumes none of our queues stays as it is."""
    ours = _ours(_chosen(conf, options))
    if not ours:
        return
    conf.update(FOR_OUR_WORKERS)
    conf.update({key: value for key, value in WHERE_NOTHING_IS_SET.items() if conf[key] == DEFAULTS[key]})
    if ours == [HTTP_QUEUE] and not options.get("concurrency") and not conf.worker_concurrency:
        conf.worker_concurrency = CALLS_AT_ONCE
    for name in ours:
        instance.app.amqp.queues.select_add(topology.queue(name))
    if instance.hostname == default_nodename(""):
        instance.hostname = _unique(instance.hostname)
    if DEFAULT_QUEUE in ours:
        instance.app.steps["consumer"].add("jobs.worker.undertaker:Undertaker")


def fit_worker(sender: Any, **_: Any) -> None:
    """Give a worker of HTTP runs alone the pool that makes calls, and unless the command line or the settings say
    otherwise, a prefetch that claims nothing that does not run at once.
    """
    ours = _ours(sender.app.amqp.queues.consume_from)
    if ours == [HTTP_QUEUE] and _is_prefork(sender.pool_cls):
        sender.pool_cls = CURL_POOL
    if ours and sender.prefetch_multiplier == NAMESPACES["worker"]["prefetch_multiplier"].default:
        sender.prefetch_multiplier = FAST_PREFETCH if ours == [FAST_QUEUE] else 1


def _is_prefork(pool: Any) -> bool:
    """Whether it is the pool that Celery takes when none is asked for."""
    implementation: Any = get_implementation(pool)
    return bool(implementation.uses_semaphore)


def _chosen(conf: Any, options: dict[str, Any]) -> list[str]:
    """The queues that the worker will consume: of the command line, or else of the settings."""
    asked: Any = options.get("queues") or [
        getattr(queue, "name", queue) for queue in conf.task_queues or [conf.task_default_queue]
    ]
    excluded: Any = options.get("exclude_queues") or []
    return [name for name in str_to_list(asked) if name not in str_to_list(excluded)]


def _ours(names: Iterable[str]) -> list[str]:
    return [name for name in names if name in config().queues]


def _unique(hostname: str) -> str:
    """A restarted worker must not meet the control queue of its own old connection."""
    name, _, host = hostname.partition("@")
    return str(nodename(f"{name}-{uuid.uuid4().hex[:8]}", host))
