"""A queue that nobody consumes is told, softly, when a job is saved."""

from __future__ import annotations

from datetime import timedelta

import pytest

from jobs.models import Marker
from jobs.services.queues import queue_warning
from jobs.store.clock import database_now

pytestmark = pytest.mark.django_db


def test_a_queue_whose_markers_come_back_has_a_worker() -> None:
    now = database_now()
    Marker.objects.create(queue="jobs.fast", sent_at=now, returned_at=now)
    assert queue_warning("jobs.fast") == ""


def test_a_queue_whose_markers_stay_away_has_none() -> None:
    now = database_now()
    Marker.objects.create(queue="jobs.fast", sent_at=now, returned_at=now - timedelta(minutes=16))
    assert queue_warning("jobs.fast") == (
        'No worker has taken anything from queue "jobs.fast" for 15 minutes: its runs wait. '
        "Start one, for example: celery -A PROJECT worker -Q jobs.fast"
    )


def test_without_markers_nothing_is_known() -> None:
    assert "beat is not running" in queue_warning("jobs.fast")
    Marker.objects.create(queue="jobs.fast", sent_at=database_now() - timedelta(hours=1))
    assert "beat is not running" in queue_warning("jobs.fast")
