-- Give back claimed runs whose body did not start; a run with a cancel request ends cancelled.
-- params: parallel arrays job_ids, slots, tokens, counted (the claim counted an attempt, which is taken back);
--   worker uuid; lo, hi: the range of the slots.
-- locks: the runs, FOR NO KEY UPDATE in key order. index: jobrun_slot, a probe a run whatever the statistics
--   say: of a day analyzed while nothing ran they say that nothing runs, and a join would then compare its every run
--   with every element. IS NOT DISTINCT FROM keeps the planner from jobrun_leased, whose dead entries grow with
--   every claim.
-- rows: (job_id, slot_us, status) of each run given back.
WITH held AS MATERIALIZED (
    SELECT run.job_id, run.scheduled_for, back.counted, run.cancel_requested_at IS NOT NULL AS cancelled
    FROM (
        SELECT *
        FROM unnest((SELECT %(job_ids)s::bigint[]), (SELECT %(slots)s::timestamptz[]),
                    (SELECT %(tokens)s::int[]), (SELECT %(counted)s::boolean[]))
            AS back (job_id, scheduled_for, token, counted)
        ORDER BY job_id, scheduled_for
    ) AS back
    CROSS JOIN LATERAL (
        SELECT run.job_id, run.scheduled_for, run.cancel_requested_at
        FROM jobs_jobrun AS run
        WHERE run.job_id = back.job_id AND run.scheduled_for = back.scheduled_for
          AND run.scheduled_for BETWEEN %(lo)s::timestamptz AND %(hi)s::timestamptz
          AND run.token = back.token AND run.locked_by IS NOT DISTINCT FROM %(worker)s::uuid
        FOR NO KEY UPDATE
    ) AS run
)
UPDATE jobs_jobrun run
SET status = CASE WHEN held.cancelled THEN 'cancelled' ELSE 'queued' END,
    locked_by = NULL,
    locked_until = NULL,
    dispatched_at = CASE WHEN held.cancelled THEN run.dispatched_at END,
    finished_at = CASE WHEN held.cancelled THEN clock_timestamp() END,
    attempts = run.attempts - held.counted::int
FROM held
WHERE run.job_id = held.job_id AND run.scheduled_for = held.scheduled_for
  AND run.scheduled_for BETWEEN %(lo)s::timestamptz AND %(hi)s::timestamptz
RETURNING run.job_id, (extract(epoch FROM run.scheduled_for) * 1000000)::bigint AS slot_us, run.status
