-- Renew a worker's leases, and write the starts that were not yet written.
-- params: parallel arrays job_ids, slots, tokens, attempts (NULL: nothing to write), started_ago (seconds or NULL);
--   worker uuid; lease_seconds; lo, hi: the range of the slots.
-- locks: the runs, FOR NO KEY UPDATE in key order. index: jobrun_slot, a probe a run whatever the statistics
--   say: of a day analyzed while nothing ran they say that nothing runs, and a join would then compare its every run
--   with every element. IS NOT DISTINCT FROM keeps the planner from jobrun_leased, whose dead entries grow with
--   every claim. HOT, as no indexed column changes.
-- rows: (job_id, slot_us, cancel_requested) of each lease still held; a lease without a row is lost.
WITH held AS MATERIALIZED (
    SELECT run.job_id, run.scheduled_for, beat.attempt, beat.started_ago
    FROM (
        SELECT *
        FROM unnest((SELECT %(job_ids)s::bigint[]), (SELECT %(slots)s::timestamptz[]),
                    (SELECT %(tokens)s::int[]), (SELECT %(attempts)s::int[]), (SELECT %(started_ago)s::float8[]))
            AS beat (job_id, scheduled_for, token, attempt, started_ago)
        ORDER BY job_id, scheduled_for
    ) AS beat
    CROSS JOIN LATERAL (
        SELECT run.job_id, run.scheduled_for
        FROM jobs_jobrun AS run
        WHERE run.job_id = beat.job_id AND run.scheduled_for = beat.scheduled_for
          AND run.scheduled_for BETWEEN %(lo)s::timestamptz AND %(hi)s::timestamptz
          AND run.token = beat.token AND run.locked_by IS NOT DISTINCT FROM %(worker)s::uuid
        FOR NO KEY UPDATE
    ) AS run
)
UPDATE jobs_jobrun run
SET locked_until = clock_timestamp() + %(lease_seconds)s * interval '1 second',
    attempts = greatest(run.attempts, held.attempt),
    started_at = coalesce(clock_timestamp() - held.started_ago * interval '1 second', run.started_at)
FROM held
WHERE run.job_id = held.job_id AND run.scheduled_for = held.scheduled_for
  AND run.scheduled_for BETWEEN %(lo)s::timestamptz AND %(hi)s::timestamptz
RETURNING run.job_id, (extract(epoch FROM run.scheduled_for) * 1000000)::bigint AS slot_us, run.cancel_requested_at IS NOT NULL AS cancel_requested
