"""Hook Beatkeeper into a team's Celery app: ``install(app)`` once, after ``config_from_object``."""

from __future__ import annotations

from typing import Any

from celery import Celery, signals

from jobs.startup import or_exit


def install(app: Celery) -> None:
    """Set what workers and beat need. Messages without our run header stay ordinary Celery.

    This runs while Django's settings load, so it reads no setting: the rest follows when Celery loads its own.
    """
    app.steps["consumer"].add("jobs.worker.steps:ClerkStep")
    signals.celeryd_init.connect(_prepare_worker, weak=False, dispatch_uid="jobs.prepare_worker")
    signals.worker_init.connect(_fit_worker, weak=False, dispatch_uid="jobs.fit_worker")
    if getattr(app, "configured", False):
        _configure(app)
    else:
        app.on_after_configure.connect(_configure, sender=app, weak=False)


def _configure(sender: Celery, **_: Any) -> None:
    with or_exit():
        from jobs.beat.celery_settings import configure_beat
        from jobs.worker.celery_settings import annotate_tasks
        from jobs.worker.shown_settings import mask_shown_settings

        configure_beat(sender)
        annotate_tasks(sender)
        mask_shown_settings(sender)


def _prepare_worker(**options: Any) -> None:
    with or_exit():
        from jobs.worker.celery_settings import prepare_worker

        prepare_worker(**options)


def _fit_worker(**options: Any) -> None:
    with or_exit():
        from jobs.worker.celery_settings import fit_worker

        fit_worker(**options)
