-- Give runs that wait to be sent to the queues that their jobs name now. Guarded by the token and the queue as read.
-- params: parallel arrays job_id, scheduled_for, token, queue (the one to leave), new_queue; lo, hi: the range of
--   scheduled_for.
-- locks: the runs, in key order; those that someone holds are passed by. index: jobrun_slot. rows: one a run moved.
WITH stray AS MATERIALIZED (
    SELECT r.job_id, r.scheduled_for, m.new_queue
    FROM unnest((SELECT %(job_id)s::bigint[]), (SELECT %(scheduled_for)s::timestamptz[]),
                (SELECT %(token)s::int[]), (SELECT %(queue)s::text[]), (SELECT %(new_queue)s::text[]))
        AS m (job_id, scheduled_for, token, queue, new_queue)
    JOIN jobs_jobrun AS r ON r.job_id = m.job_id AND r.scheduled_for = m.scheduled_for
    WHERE r.scheduled_for BETWEEN %(lo)s AND %(hi)s
      AND r.token = m.token AND r.queue = m.queue AND r.status = 'queued' AND r.dispatched_at IS NULL
    ORDER BY r.job_id, r.scheduled_for
    FOR NO KEY UPDATE OF r SKIP LOCKED
)
UPDATE jobs_jobrun AS r SET queue = stray.new_queue
FROM stray
WHERE r.job_id = stray.job_id AND r.scheduled_for = stray.scheduled_for
  AND r.scheduled_for BETWEEN %(lo)s AND %(hi)s
