"""Wiring only: settings, the Celery app, urls. What the product does is in ``jobs``."""

from scheduler_project.celery import app as celery_app

__all__ = ["celery_app"]
