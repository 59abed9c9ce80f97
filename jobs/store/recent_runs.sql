-- The newest runs of each of a page of jobs, by slot; runs asked for a later time do not count.
-- params: job_ids; each: how many of a job at most. locks: none.
-- index: jobrun_slot, newest partition first until they hold enough runs of the job.
-- rows: a run each, newest first within a job; none for a job that never ran.
SELECT recent.*
FROM unnest((SELECT %(job_ids)s::bigint[])) AS asked (job_id)
CROSS JOIN LATERAL (
    SELECT run.job_id, run.scheduled_for, run.status, run.trigger, run.attempts, run.max_attempts, run.due_at,
           run.started_at, run.finished_at, left(run.last_error, 160) AS error
    FROM jobs_jobrun AS run
    WHERE run.job_id = asked.job_id AND run.scheduled_for <= statement_timestamp()
    ORDER BY run.scheduled_for DESC
    LIMIT %(each)s
) AS recent
