"""Names on the wire: run key, task id, headers."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

RUN_HEADER = "jobs-run"
MARKER_HEADER = "jobs-marker"
EXCHANGE = "jobs"
DEAD_LETTER_EXCHANGE = "jobs.dlx"
DEAD_LETTER_QUEUE = "jobs.dead"
# Any fixed namespace will do: it keeps our ids apart from other uuid5 ids of the same text.
_TASK_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "beatkeeper:run")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True, order=True)
class RunKey:
    """Which run: its job and its slot. The text form is public and the idempotency key of all attempts."""

    job_id: int
    scheduled_for: datetime

    def __str__(self) -> str:
        return f"{self.job_id}-{(self.scheduled_for - _EPOCH) // _MICROSECOND}"

    @classmethod
    def parse(cls, text: str) -> RunKey:
        """Read ``{job_id}-{epoch microseconds}``; ValueError when it is not one."""
        job_id, separator, micros = text.partition("-")
        if not (separator and text.isascii() and job_id.isdigit() and micros.isdigit()):
            raise ValueError(f"Run key {text!r} is not of the form JOB_ID-MICROSECONDS.")
        try:
            return cls(int(job_id), _EPOCH + timedelta(microseconds=int(micros)))
        except OverflowError as error:
            raise ValueError(f"Run key {text!r} names a time beyond the year 9999.") from error


def task_id(key: RunKey, token: int) -> str:
    """The Celery task id of one attempt, so that a revoke hits that attempt alone."""
    return str(uuid.uuid5(_TASK_NAMESPACE, f"{key}/{token}"))
