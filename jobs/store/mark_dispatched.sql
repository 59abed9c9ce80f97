-- Note that messages of runs are with the broker. Guarded by the token that was published: a run that was claimed and
-- came back to the queue in the meantime has no message yet and must stay visible.
-- params: parallel arrays job_id, scheduled_for, token; lo, hi: the range of scheduled_for.
-- locks: the runs, in key order; those that someone holds are passed by. index: jobrun_slot, a probe a run as in
--   settle.sql. rows: (job_id, slot_us) of each run that was not marked: it has changed, or is held.
WITH named AS MATERIALIZED (
    SELECT *
    FROM unnest((SELECT %(job_id)s::bigint[]), (SELECT %(scheduled_for)s::timestamptz[]), (SELECT %(token)s::int[]))
        AS p (job_id, scheduled_for, token)
), sent AS MATERIALIZED (
    SELECT held.job_id, held.scheduled_for
    FROM (SELECT * FROM named ORDER BY job_id, scheduled_for) AS p
    CROSS JOIN LATERAL (
        SELECT r.job_id, r.scheduled_for
        FROM jobs_jobrun AS r
        WHERE r.job_id = p.job_id AND r.scheduled_for = p.scheduled_for AND r.scheduled_for BETWEEN %(lo)s AND %(hi)s
          AND r.token = p.token AND r.status = 'queued' AND r.dispatched_at IS NULL
        FOR NO KEY UPDATE SKIP LOCKED
    ) AS held
), marked AS (
    UPDATE jobs_jobrun AS r SET dispatched_at = clock_timestamp()
    FROM sent
    WHERE r.job_id = sent.job_id AND r.scheduled_for = sent.scheduled_for
      AND r.scheduled_for BETWEEN %(lo)s AND %(hi)s
    RETURNING r.job_id, r.scheduled_for
)
SELECT job_id, (extract(epoch FROM scheduled_for) * 1000000)::bigint AS slot_us
FROM named
WHERE NOT EXISTS (SELECT FROM marked WHERE job_id = named.job_id AND scheduled_for = named.scheduled_for)
