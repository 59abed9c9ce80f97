-- Lock the cursors that are due, earliest first; those held by an open edit or another leader are skipped.
-- params: shard, now (timestamptz or NULL: the statement's time), batch. locks: cursor rows, FOR NO KEY UPDATE.
-- index: cursor_due. rows: (job_id, accounted_us), earliest due first.
SELECT job_id, (extract(epoch FROM greatest(plan_from, last_slot)) * 1000000)::bigint AS accounted_us
FROM jobs_cursor
WHERE shard = %(shard)s AND next_run_at <= coalesce(%(now)s::timestamptz, statement_timestamp())
ORDER BY next_run_at
LIMIT %(batch)s
FOR NO KEY UPDATE SKIP LOCKED
