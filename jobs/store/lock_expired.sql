-- Lock runs whose lease has run out, or lies so far ahead that only a clock set back explains it.
-- params: now (timestamptz or NULL: the statement's time), lease_seconds; lo, hi: range of scheduled_for; limit.
-- locks: run rows in key order, FOR NO KEY UPDATE SKIP LOCKED: a held row is being renewed or settled.
-- index: jobrun_leased. rows: key, token, worker, and what decides the run's fate.
SELECT run.job_id, run.scheduled_for, run.token, run.locked_by, run.attempts, run.max_attempts, run.losses,
       run.cancel_requested_at IS NOT NULL AS is_cancelled, job.delivery,
       -- A claim counts the attempt itself where it must; else its start is written, later than its message was sent.
       run.losses > 0 OR job.delivery = 'at_most_once' OR coalesce(run.started_at >= run.dispatched_at, false) AS is_noted
FROM jobs_jobrun AS run
LEFT JOIN jobs_job AS job ON job.id = run.job_id
WHERE run.locked_by IS NOT NULL
  AND run.scheduled_for BETWEEN %(lo)s::timestamptz AND %(hi)s::timestamptz
  AND (run.locked_until < coalesce(%(now)s::timestamptz, statement_timestamp())
       OR run.locked_until
          > coalesce(%(now)s::timestamptz, statement_timestamp()) + 2 * %(lease_seconds)s * interval '1 second')
ORDER BY run.job_id, run.scheduled_for
LIMIT %(limit)s
FOR NO KEY UPDATE OF run SKIP LOCKED
