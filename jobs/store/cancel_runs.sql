-- Cancel runs: queued ones end at once, running ones are asked to (their worker sees it at its next heartbeat).
-- params: parallel arrays job_ids, slots; lo, hi: the oldest and newest slot; note: why, for last_error of those that end here.
-- locks: the rows, in key order. index: jobrun_slot of the partitions in lo..hi.
-- rows: (job_id, scheduled_for, status after); none for a run that is finished or does not exist.
WITH held AS MATERIALIZED (
    SELECT run.job_id, run.scheduled_for
    FROM jobs_jobrun AS run
    JOIN unnest((SELECT %(job_ids)s::bigint[]), (SELECT %(slots)s::timestamptz[])) AS asked (job_id, scheduled_for)
      ON asked.job_id = run.job_id AND asked.scheduled_for = run.scheduled_for
    WHERE run.scheduled_for BETWEEN %(lo)s AND %(hi)s AND run.status IN ('queued', 'running')
    ORDER BY run.job_id, run.scheduled_for
    FOR NO KEY UPDATE OF run
)
UPDATE jobs_jobrun AS run
SET status = CASE run.status WHEN 'queued' THEN 'cancelled' ELSE run.status END,
    finished_at = CASE run.status WHEN 'queued' THEN clock_timestamp() END,
    last_error = CASE run.status WHEN 'queued' THEN %(note)s ELSE run.last_error END,
    cancel_requested_at = coalesce(run.cancel_requested_at, clock_timestamp())
FROM held
WHERE run.job_id = held.job_id AND run.scheduled_for = held.scheduled_for
  AND run.scheduled_for BETWEEN %(lo)s AND %(hi)s AND run.status IN ('queued', 'running')
RETURNING run.job_id, run.scheduled_for, run.status
