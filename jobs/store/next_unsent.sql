-- When the next run of each queue and priority is to be sent: a probe each, cheap enough for every second.
-- params: queues; since, until: bounds of scheduled_for, constants so that partitions are pruned; shard, shards: whose
-- jobs (with one shard the condition is no part of the plan; with more, runs of others that wait are read past).
-- locks: none. index: jobrun_ready. rows: (queue, run_after, now), one for each queue and priority that has any.
SELECT q.queue, next.run_after, statement_timestamp() AS now
FROM unnest(%(queues)s::text[]) AS q (queue)
CROSS JOIN generate_series(9, 0, -1) AS p (priority)
CROSS JOIN LATERAL (
    SELECT run_after
    FROM jobs_jobrun
    WHERE queue = q.queue AND priority = p.priority AND dispatched_at IS NULL AND finished_at IS NULL
      AND scheduled_for > %(since)s::timestamptz AND scheduled_for <= %(until)s::timestamptz
      AND (%(shards)s = 1 OR coalesce(job_id %% %(shards)s = %(shard)s, false))
    ORDER BY run_after
    LIMIT 1
) AS next
