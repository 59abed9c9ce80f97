-- Lock cursors that wait to be planned; those held by an open edit or another leader are skipped.
-- params: shard, batch. locks: cursor rows, FOR NO KEY UPDATE. index: cursor_plan.
-- rows: (job_id, accounted_us: every slot up to here is in a run or in a gap; microseconds since 1970, since
-- Django reads a timestamp ten times slower than a number).
SELECT job_id, (extract(epoch FROM greatest(plan_from, last_slot)) * 1000000)::bigint AS accounted_us
FROM jobs_cursor
WHERE shard = %(shard)s AND plan_needed
ORDER BY job_id
LIMIT %(batch)s
FOR NO KEY UPDATE SKIP LOCKED
