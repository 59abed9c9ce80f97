-- Insert runs; a run whose slot exists is left alone (I2).
-- params: parallel arrays, one element a run. Times are timestamptz, payloads JSON texts or NULL.
-- locks: the new rows, in key order, so that two inserters cannot deadlock. index: jobrun_slot.
-- rows: (job_id, scheduled_for) of each run inserted.
INSERT INTO jobs_jobrun (
    job_id, scheduled_for, trigger, status, max_attempts, due_at, start_by, run_after, queue, priority,
    exclusive, replaces, payload, finished_at, last_error, webhook_id)
SELECT job_id, scheduled_for, trigger, status, max_attempts, run_after,
       run_after + deadline_seconds * interval '1 second', run_after, queue, priority,
       exclusive, replaces, payload::jsonb,
       CASE WHEN status NOT IN ('queued', 'running') THEN clock_timestamp() END, last_error, webhook_id
FROM unnest(
    (SELECT %(job_id)s::bigint[]), (SELECT %(scheduled_for)s::timestamptz[]), (SELECT %(trigger)s::text[]),
    (SELECT %(status)s::text[]), (SELECT %(max_attempts)s::int[]), (SELECT %(run_after)s::timestamptz[]),
    (SELECT %(deadline_seconds)s::int[]), (SELECT %(queue)s::text[]), (SELECT %(priority)s::smallint[]),
    (SELECT %(exclusive)s::boolean[]), (SELECT %(replaces)s::timestamptz[]), (SELECT %(payload)s::text[]),
    (SELECT %(last_error)s::text[]), (SELECT %(webhook_id)s::bigint[])
) AS new (
    job_id, scheduled_for, trigger, status, max_attempts, run_after, deadline_seconds, queue, priority, exclusive,
    replaces, payload, last_error, webhook_id)
ORDER BY job_id, scheduled_for
ON CONFLICT (job_id, scheduled_for) DO NOTHING
RETURNING job_id, scheduled_for
