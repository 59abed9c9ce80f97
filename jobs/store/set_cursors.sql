-- Move cursors on, or park them with an error. The caller holds their locks.
-- params: parallel arrays, one element a cursor; a NULL last_slot or plan_from keeps what stands.
-- locks: cursor rows. index: jobs_cursor_pkey. touches: each cursor named.
UPDATE jobs_cursor AS cursor
SET next_run_at = step.next_run_at,
    last_slot = coalesce(step.last_slot, cursor.last_slot),
    plan_from = coalesce(step.plan_from, cursor.plan_from),
    plan_needed = false,
    error = step.error,
    error_at = CASE WHEN step.error <> '' THEN clock_timestamp() END
FROM unnest(
    (SELECT %(job_id)s::bigint[]), (SELECT %(next_run_at)s::timestamptz[]),
    (SELECT %(last_slot)s::timestamptz[]), (SELECT %(plan_from)s::timestamptz[]), (SELECT %(error)s::text[])
) AS step (job_id, next_run_at, last_slot, plan_from, error)
WHERE cursor.job_id = step.job_id
