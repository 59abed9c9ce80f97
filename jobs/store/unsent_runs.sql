-- The runs of one queue that are to be sent now, with what their messages need of the job. What is under way is left
-- out before the jobs are read: there is as much of it as is looked for.
-- params: queue, now (NULL: the database's), since, until (bounds of scheduled_for), limit; parallel arrays but_job_id,
-- but_slot: runs to leave out; shard, shards: whose jobs (with one shard that is no part of the plan). The planner takes
-- an equal remainder for far rarer than it is, and reads the table from end to end; of what coalesce makes of it, it
-- expects half.
-- locks: none; the mark is guarded by the token read here. index: jobrun_ready, jobs_job_pkey.
-- rows: highest priority first, in each earliest run_after first.
SELECT r.job_id, (extract(epoch FROM r.scheduled_for) * 1000000)::bigint AS slot_us, r.token, r.queue, r.payload::text,
       j.name, j.queue AS job_queue, j.task, j.args::text, j.kwargs::text, j.timeout_seconds, j.soft_timeout_seconds
FROM (
    SELECT p.priority, next.*
    FROM generate_series(9, 0, -1) AS p (priority)
    CROSS JOIN LATERAL (  -- a priority after the other, and none once there are enough
        SELECT job_id, scheduled_for, token, payload, queue, run_after
        FROM jobs_jobrun
        WHERE queue = %(queue)s AND priority = p.priority AND dispatched_at IS NULL AND finished_at IS NULL
          AND status = 'queued' AND run_after <= coalesce(%(now)s::timestamptz, statement_timestamp())
          AND scheduled_for > %(since)s::timestamptz AND scheduled_for <= %(until)s::timestamptz
          AND (%(shards)s = 1 OR coalesce(job_id %% %(shards)s = %(shard)s, false))
          AND (job_id, scheduled_for) NOT IN (
              SELECT * FROM unnest((SELECT %(but_job_id)s::bigint[]), (SELECT %(but_slot)s::timestamptz[])))
        ORDER BY run_after
        LIMIT %(limit)s
    ) AS next
    LIMIT %(limit)s
) AS r
CROSS JOIN LATERAL (SELECT * FROM jobs_job WHERE id = r.job_id OFFSET 0) AS j  -- OFFSET 0: job by job, never a scan
ORDER BY r.priority DESC, r.run_after
