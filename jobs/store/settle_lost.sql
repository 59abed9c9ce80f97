-- End leases that were lost: back to the queue after a pause, or to an end. A start deadline is judged no more.
-- params: parallel arrays job_id, scheduled_for, token, status, delay (seconds), note, attempt (NULL: none noted); lo, hi: range of scheduled_for;
--   now (timestamptz or NULL: the clock); history: entries kept.
-- locks: run rows, held by the caller. index: jobrun_slot.
-- touches: each run named; a newer claim would have another token and be left alone (I4).
UPDATE jobs_jobrun AS run
SET status = lost.status,
    locked_by = NULL,
    locked_until = NULL,
    losses = run.losses + 1,
    dispatched_at = CASE WHEN lost.status <> 'queued' THEN run.dispatched_at END,
    start_by = CASE WHEN lost.status <> 'queued' THEN run.start_by END,
    run_after = CASE WHEN lost.status = 'queued'
                     THEN coalesce(%(now)s::timestamptz, clock_timestamp()) + lost.delay * interval '1 second'
                     ELSE run.run_after END,
    finished_at = CASE WHEN lost.status <> 'queued' THEN clock_timestamp() END,
    errors = CASE WHEN jsonb_array_length(run.errors) < %(history)s THEN run.errors ELSE run.errors - 0 END
             || jsonb_strip_nulls(jsonb_build_object('attempt', lost.attempt, 'kind', 'lost', 'type', 'LeaseLost',
                                                     'message', lost.note, 'traceback', '', 'at', clock_timestamp())),
    last_error = lost.note
FROM unnest((SELECT %(job_id)s::bigint[]), (SELECT %(scheduled_for)s::timestamptz[]), (SELECT %(token)s::int[]),
            (SELECT %(status)s::text[]), (SELECT %(delay)s::float8[]), (SELECT %(note)s::text[]),
            (SELECT %(attempt)s::int[]))
    AS lost (job_id, scheduled_for, token, status, delay, note, attempt)
WHERE run.job_id = lost.job_id AND run.scheduled_for = lost.scheduled_for AND run.token = lost.token
  AND run.locked_by IS NOT NULL
  AND run.scheduled_for BETWEEN %(lo)s::timestamptz AND %(hi)s::timestamptz
