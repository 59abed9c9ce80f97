-- End queued runs that were never started by their deadline.
-- params: now (timestamptz or NULL: the statement's time); lo, hi: range of scheduled_for; limit.
-- locks: run rows in key order, SKIP LOCKED: a held row is being claimed, and the claim judges the deadline itself.
-- index: jobrun_start_by. rows: (job_id, scheduled_for) of each run ended.
WITH late AS MATERIALIZED (
    SELECT job_id, scheduled_for FROM jobs_jobrun
    WHERE start_by < coalesce(%(now)s::timestamptz, statement_timestamp())
      AND locked_by IS NULL AND finished_at IS NULL
      AND scheduled_for BETWEEN %(lo)s::timestamptz AND %(hi)s::timestamptz
    ORDER BY job_id, scheduled_for
    LIMIT %(limit)s
    FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE jobs_jobrun AS run
SET status = 'missed', finished_at = clock_timestamp(), last_error = 'Not started by its deadline.'
FROM late
WHERE run.job_id = late.job_id AND run.scheduled_for = late.scheduled_for AND run.status = 'queued'
  AND run.scheduled_for BETWEEN %(lo)s::timestamptz AND %(hi)s::timestamptz
RETURNING run.job_id, run.scheduled_for
