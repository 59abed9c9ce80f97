"""The Celery app of the process tests: the project's own, with the bodies of :mod:`tests.support.bodies`."""

from scheduler_project.celery import app
from tests.support import bodies

__all__ = ["app", "bodies"]
