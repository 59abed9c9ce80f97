"""When the leader looks at a job next, from its definition alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from jobs.domain.schedules import ScheduleSpec, build


@dataclass(frozen=True, slots=True)
class PlannedJob:
    """What planning and emission read of a job. Kept raw: a bad value must park its own job only."""

    job_id: int
    version: int
    is_active: bool
    paused: bool
    paused_until: datetime | None
    concurrency_policy: str
    deadline_seconds: int | None
    catch_up: str
    catch_up_limit: int
    queue: str
    task: str
    priority: int
    max_attempts: int
    spread_seconds: int
    webhook_id: int | None
    spec: ScheduleSpec

    @property
    def is_exclusive(self) -> bool:
        return self.concurrency_policy != "allow"

    def pause_end(self, after: datetime) -> datetime | None:
        """When a pause that reaches beyond ``after`` ends by itself."""
        return self.paused_until if self.paused and self.paused_until and self.paused_until > after else None

    def is_idle(self) -> bool:
        """Disabled, archived, or paused without end: nothing is due until someone changes the job."""
        return not self.is_active or (self.paused and self.paused_until is None)


def next_look(job: PlannedJob, after: datetime) -> datetime | None:
    """The end of the job's pause or its first slot later than ``after``; raises InvalidScheduleError."""
    if job.is_idle():
        return None
    return job.pause_end(after) or build(job.spec).next(after)
