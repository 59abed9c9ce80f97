-- Note that messages of runs are with the broker. Guarded by the token that was published: a run that was claimed and
-- came back to the queue in the meantime has no message yet and must stay visible.
-- params: parallel arrays job_id, scheduled_for, token; lo, hi: the range of scheduled_for.
-- locks: the runs, in key order; waits for a claim under way. index: jobrun_slot. rows: one a run marked.
WITH sent AS MATERIALIZED (
    SELECT r.job_id, r.scheduled_for
    FROM unnest(%(job_id)s::bigint[], %(scheduled_for)s::timestamptz[], %(token)s::int[])
        AS p (job_id, scheduled_for, token)
    JOIN jobs_jobrun AS r ON r.job_id = p.job_id AND r.scheduled_for = p.scheduled_for
    WHERE r.scheduled_for BETWEEN %(lo)s AND %(hi)s
      AND r.token = p.token AND r.status = 'queued' AND r.dispatched_at IS NULL
    ORDER BY r.job_id, r.scheduled_for
    FOR NO KEY UPDATE OF r
)
UPDATE jobs_jobrun AS r SET dispatched_at = clock_timestamp()
FROM sent
WHERE r.job_id = sent.job_id AND r.scheduled_for = sent.scheduled_for
  AND r.scheduled_for BETWEEN %(lo)s AND %(hi)s
