"""Runs of one status, asked for so that an index of few runs answers where the status is rare.

A list of the newest runs is read backwards along the primary key. For a status that one run in a million has, that is
every run of the days asked for; nearly all have succeeded.
"""

from __future__ import annotations

from django.db.models import Q

from jobs.domain.states import RunStatus

_NOT_SENT = Q(dispatched_at__isnull=True)
_SENT = Q(dispatched_at__isnull=False, locked_by__isnull=True)


def of_status(status: RunStatus) -> Q:
    """The runs that stand so. What is said beside the status holds for each of them, and is an index's condition."""
    match status:
        case RunStatus.QUEUED:  # jobrun_ready, jobrun_out
            return Q(status=status, finished_at__isnull=True) & (_NOT_SENT | _SENT)
        case RunStatus.RUNNING:  # jobrun_leased
            return Q(status=status, locked_by__isnull=False)
        case RunStatus.DEAD:  # jobrun_dead
            return Q(status=status, error_group__isnull=False)
        case _:  # jobrun_not_run; of those that succeeded there are many
            return Q(status=status)
