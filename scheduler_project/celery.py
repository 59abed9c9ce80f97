"""The Celery app that ``celery -A scheduler_project`` loads."""

from __future__ import annotations

import os

from celery import Celery

from jobs.install import install

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "scheduler_project.settings")
# Celery runs Django's checks in each worker and says nothing of what they find, but they load all URLs with what is
# behind them: 20 MB a process for the API. Beatkeeper's own settings are judged in any case.
os.environ.setdefault("CELERY_SKIP_CHECKS", "true")

app = Celery("scheduler_project")
app.config_from_object("django.conf:settings", namespace="CELERY")
install(app)
app.autodiscover_tasks()
