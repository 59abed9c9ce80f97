"""The tables, their constraints and their querysets."""

from jobs.models.cursor import JobCursor
from jobs.models.dead_letter import DeadLetter
from jobs.models.dead_run import DeadRun
from jobs.models.endpoint import Endpoint
from jobs.models.gap import SlotGap
from jobs.models.idempotency_key import IdempotencyKey
from jobs.models.job import Job
from jobs.models.leader import Leader
from jobs.models.marker import Marker
from jobs.models.run import JobRun
from jobs.models.state import State
from jobs.models.token import Token
from jobs.models.version import JobVersion

__all__ = [
    "DeadLetter",
    "DeadRun",
    "Endpoint",
    "IdempotencyKey",
    "Job",
    "JobCursor",
    "JobRun",
    "JobVersion",
    "Leader",
    "Marker",
    "SlotGap",
    "State",
    "Token",
]
