-- How many runs of a queue are dispatched and not claimed, counted up to a limit.
-- params: queue, limit, since, until (bounds of scheduled_for); shard, shards: whose jobs.
-- locks: none. index: jobrun_out. rows: one, (unclaimed).
SELECT count(*) AS unclaimed
FROM (
    SELECT FROM jobs_jobrun
    WHERE queue = %(queue)s AND dispatched_at IS NOT NULL AND locked_by IS NULL AND finished_at IS NULL
      AND scheduled_for > %(since)s::timestamptz AND scheduled_for <= %(until)s::timestamptz
      AND (%(shards)s = 1 OR coalesce(job_id %% %(shards)s = %(shard)s, false))
    ORDER BY dispatched_at  -- the index's own: without it a partition may be read from end to end
    LIMIT %(limit)s
) AS out
