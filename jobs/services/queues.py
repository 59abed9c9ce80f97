"""Whether anybody takes runs from a queue, as far as the markers tell."""

from __future__ import annotations

from datetime import timedelta

from jobs.models import Marker
from jobs.store.clock import database_now

_LATELY = timedelta(minutes=15)


def queue_warning(queue: str) -> str:
    """A sentence to show when a job with this queue is saved; empty when a worker has consumed it lately."""
    marker = Marker.objects.filter(queue=queue).first()
    horizon = database_now() - _LATELY
    if marker and marker.returned_at and marker.returned_at > horizon:
        return ""
    if not marker or not marker.sent_at or marker.sent_at < horizon:
        return f'Nobody has looked lately whether queue "{queue}" has a worker: beat is not running.'
    return (
        f'No worker has taken anything from queue "{queue}" for 15 minutes: its runs wait. '
        f"Start one, for example: celery -A PROJECT worker -Q {queue}"
    )
