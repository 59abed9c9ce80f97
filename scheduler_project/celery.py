"""The Celery app that ``celery -A scheduler_project`` loads."""

from __future__ import annotations

import os

from celery import Celery

from jobs.install import install

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "scheduler_project.settings")

app = Celery("scheduler_project")
app.config_from_object("django.conf:settings", namespace="CELERY")
install(app)
app.autodiscover_tasks()
