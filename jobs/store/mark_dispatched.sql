-- Note that messages of runs are with the broker. Guarded by the token that was published: a run that was claimed and
-- came back to the queue in the meantime has no message yet and must stay visible.
-- params: parallel arrays job_id, scheduled_for, token; lo, hi: the range of scheduled_for.
-- locks: the runs, in key order; waits for a claim under way. index: jobrun_slot, a probe a run as in
--   settle.sql. rows: one a run marked.
WITH sent AS MATERIALIZED (
    SELECT held.job_id, held.scheduled_for
    FROM (
        SELECT *
        FROM unnest((SELECT %(job_id)s::bigint[]), (SELECT %(scheduled_for)s::timestamptz[]),
                    (SELECT %(token)s::int[]))
            AS p (job_id, scheduled_for, token)
        ORDER BY job_id, scheduled_for
    ) AS p
    CROSS JOIN LATERAL (
        SELECT r.job_id, r.scheduled_for
        FROM jobs_jobrun AS r
        WHERE r.job_id = p.job_id AND r.scheduled_for = p.scheduled_for AND r.scheduled_for BETWEEN %(lo)s AND %(hi)s
          AND r.token = p.token AND r.status = 'queued' AND r.dispatched_at IS NULL
        FOR NO KEY UPDATE
    ) AS held
)
UPDATE jobs_jobrun AS r SET dispatched_at = clock_timestamp()
FROM sent
WHERE r.job_id = sent.job_id AND r.scheduled_for = sent.scheduled_for
  AND r.scheduled_for BETWEEN %(lo)s AND %(hi)s
