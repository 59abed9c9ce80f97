"""Many stored jobs of which none is due for hours, for the benches that ask what their number costs."""

from __future__ import annotations

from tests.support.stack import Stack
from tests.support.waiting import wait_until

_CHUNK = 100_000
# Daily at a minute between three and twenty-three hours from now, in four zones: 4,800 different schedules.
_INSERT = """
INSERT INTO jobs_job (name, kind, cron, timezone, task, queue)
SELECT 'stored-' || n, 'cron', to_char(at AT TIME ZONE zone, 'FMMI FMHH24') || ' * * *', zone,
       'tests.support.bodies.noop', 'jobs.fast'
FROM generate_series(%s::int, %s::int) AS n
CROSS JOIN LATERAL (
    SELECT (ARRAY['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata'])[1 + n %% 4] AS zone,
           now() + (180 + n %% 1200) * interval '1 minute' AS at) AS chosen
"""


def store_jobs(live: Stack, first: int, last: int) -> None:
    """Insert ``stored-FIRST`` to ``stored-LAST``, which still have to be planned."""
    for number in range(first, last + 1, _CHUNK):
        live.sql(_INSERT, number, min(number + _CHUNK - 1, last))
    live.sql("ANALYZE jobs_job, jobs_cursor")


def wait_until_planned(live: Stack, *, timeout: float) -> None:
    """Let the beat that runs plan all jobs."""
    wait_until(lambda: not _is_unplanned(live), timeout=timeout, what="the planning", every=0.1)


def _is_unplanned(live: Stack) -> bool:
    return bool(live.sql("SELECT EXISTS (SELECT FROM jobs_cursor WHERE plan_needed)")[0][0])


def planned_within(count: int) -> float:
    """Seconds after which so many new jobs are stored and planned, on a slow machine too."""
    return 10 + count / 5_000
