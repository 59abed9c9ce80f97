-- Lock ended runs whose end someone is to be told of and has not been yet, oldest end first.
-- params: lo, hi: range of scheduled_for; limit.
-- locks: run rows, FOR NO KEY UPDATE SKIP LOCKED: one that is being replayed, or told by another shard's leader, waits
--   for the next look. index: jobrun_unannounced.
-- rows: key, token, and webhook_id, the endpoint to tell.
SELECT job_id, scheduled_for, token, webhook_id
FROM jobs_jobrun
WHERE webhook_id IS NOT NULL AND fanned_out_at IS NULL AND finished_at IS NOT NULL
  AND scheduled_for BETWEEN %(lo)s::timestamptz AND %(hi)s::timestamptz
ORDER BY finished_at
LIMIT %(limit)s
FOR NO KEY UPDATE SKIP LOCKED
