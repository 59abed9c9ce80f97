-- End attempts under their leases: to an end, or back to queued for the next attempt.
-- A run with a cancel request is not queued again but ends cancelled.
-- params: parallel arrays job_ids, slots, tokens, statuses, delays (seconds until run_after), attempts (NULL: the body
--   never started), started_ago (seconds or NULL), results (JSON text or NULL), records (JSON text or NULL: one more
--   entry of the attempt history, stamped here), last_errors; worker uuid; history: entries kept;
--   lo, hi: the range of the slots.
-- locks: the runs, FOR NO KEY UPDATE in key order. index: jobrun_slot, a probe a run whatever the statistics
--   say: of a day analyzed while nothing ran they say that nothing runs, and a join would then compare its every run
--   with every element. IS NOT DISTINCT FROM keeps the planner from jobrun_leased, whose dead entries grow with
--   every claim.
-- rows: (job_id, slot_us, status) of each run settled; a lease without a row was lost (I4).
WITH held AS MATERIALIZED (
    SELECT run.job_id, run.scheduled_for, done.delay, done.attempt, done.started_ago, done.result, done.record,
           done.last_error,
           CASE WHEN done.status = 'queued' AND run.cancel_requested_at IS NOT NULL THEN 'cancelled'
                ELSE done.status END AS status
    FROM (
        SELECT *
        FROM unnest((SELECT %(job_ids)s::bigint[]), (SELECT %(slots)s::timestamptz[]),
                    (SELECT %(tokens)s::int[]), (SELECT %(statuses)s::text[]), (SELECT %(delays)s::float8[]),
                    (SELECT %(attempts)s::int[]), (SELECT %(started_ago)s::float8[]),
                    (SELECT %(results)s::text[]), (SELECT %(records)s::text[]), (SELECT %(last_errors)s::text[]))
            AS done (job_id, scheduled_for, token, status, delay, attempt, started_ago, result, record, last_error)
        ORDER BY job_id, scheduled_for
    ) AS done
    CROSS JOIN LATERAL (
        SELECT run.job_id, run.scheduled_for, run.cancel_requested_at
        FROM jobs_jobrun AS run
        WHERE run.job_id = done.job_id AND run.scheduled_for = done.scheduled_for
          AND run.scheduled_for BETWEEN %(lo)s::timestamptz AND %(hi)s::timestamptz
          AND run.token = done.token AND run.locked_by IS NOT DISTINCT FROM %(worker)s::uuid
        FOR NO KEY UPDATE
    ) AS run
)
UPDATE jobs_jobrun run
SET status = held.status,
    locked_by = NULL,
    locked_until = NULL,
    attempts = greatest(run.attempts, held.attempt),
    started_at = coalesce(clock_timestamp() - held.started_ago * interval '1 second', run.started_at),
    finished_at = CASE WHEN held.status <> 'queued' THEN clock_timestamp() END,
    dispatched_at = CASE WHEN held.status <> 'queued' THEN run.dispatched_at END,
    run_after = CASE WHEN held.status = 'queued' THEN clock_timestamp() + held.delay * interval '1 second'
                     ELSE run.run_after END,
    start_by = CASE WHEN held.status <> 'queued' THEN run.start_by END,
    result = coalesce(held.result::jsonb, run.result),
    errors = CASE WHEN held.record IS NULL THEN run.errors
                  WHEN jsonb_array_length(run.errors) < %(history)s THEN run.errors || stamped.record
                  ELSE (run.errors - 0) || stamped.record END,
    last_error = held.last_error
FROM held,
     LATERAL (SELECT held.record::jsonb || jsonb_build_object('at', clock_timestamp()) AS record) AS stamped
WHERE run.job_id = held.job_id AND run.scheduled_for = held.scheduled_for
  AND run.scheduled_for BETWEEN %(lo)s::timestamptz AND %(hi)s::timestamptz
RETURNING run.job_id, (extract(epoch FROM run.scheduled_for) * 1000000)::bigint AS slot_us, run.status
