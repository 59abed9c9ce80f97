-- Put off queued runs whose task this worker does not know; long after their time they are dead.
-- params: parallel arrays job_ids, slots, tokens (the messages'), tasks (their names); delay_seconds, patience_seconds
--   (after due_at); lo, hi: the range of the slots; now as in claim.sql.
-- locks: the runs, FOR NO KEY UPDATE in key order. index: jobrun_slot. rows: (job_id, scheduled_for, status).
WITH held AS MATERIALIZED (
    SELECT run.job_id, run.scheduled_for, message.task, clock.now,
           run.due_at + %(patience_seconds)s * interval '1 second' < clock.now AS is_over
    FROM jobs_jobrun run
    JOIN unnest((SELECT %(job_ids)s::bigint[]), (SELECT %(slots)s::timestamptz[]), (SELECT %(tokens)s::int[]),
                (SELECT %(tasks)s::text[]))
        AS message (job_id, scheduled_for, token, task) USING (job_id, scheduled_for),
        (SELECT coalesce(%(now)s::timestamptz, statement_timestamp()) AS now) AS clock
    WHERE run.status = 'queued' AND run.token = message.token
      AND run.scheduled_for BETWEEN %(lo)s::timestamptz AND %(hi)s::timestamptz
    ORDER BY run.job_id, run.scheduled_for
    FOR NO KEY UPDATE OF run
)
UPDATE jobs_jobrun run
SET status = CASE WHEN held.is_over THEN 'dead' ELSE 'queued' END,
    -- The next token, as after a claim: the mark of the message that came too early must find nothing to mark.
    token = run.token + (NOT held.is_over)::int,
    dispatched_at = CASE WHEN held.is_over THEN run.dispatched_at END,
    run_after = CASE WHEN held.is_over THEN run.run_after
                     ELSE greatest(run.run_after, held.now + %(delay_seconds)s * interval '1 second') END,
    finished_at = CASE WHEN held.is_over THEN clock_timestamp() END,
    errors = CASE WHEN held.is_over
                  THEN run.errors || jsonb_build_object('kind', 'unknown_task', 'type', '', 'message', held.task,
                                                        'at', clock_timestamp())
                  ELSE run.errors END,
    last_error = 'unknown_task: no worker of this queue knows the task ' || held.task
FROM held
WHERE run.job_id = held.job_id AND run.scheduled_for = held.scheduled_for
  AND run.scheduled_for BETWEEN %(lo)s::timestamptz AND %(hi)s::timestamptz
RETURNING run.job_id, (extract(epoch FROM run.scheduled_for) * 1000000)::bigint AS slot_us, run.status
