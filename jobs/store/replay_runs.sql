-- Queue dead runs anew: same key, a new token, attempts that go on growing, no deadline. The errors stay and the
-- replay is noted among them. Under forbid and replace the caller holds the cursors and has seen nothing open.
-- params: parallel arrays job_ids, slots, tokens (as read, or NULL for any), more (attempts added to what is allowed),
--   exclusive (by the job's policy of today), delays (seconds until run_after); lo, hi: the range of the slots;
--   who (or ''); history: entries of errors kept.
-- locks: the rows, FOR NO KEY UPDATE in key order. index: jobrun_slot.
-- rows: (job_id, slot_us) of the runs queued; one that is dead no more is left out.
WITH held AS MATERIALIZED (
    SELECT run.job_id, run.scheduled_for, asked.more, asked.exclusive, asked.delay
    FROM jobs_jobrun AS run
    JOIN unnest((SELECT %(job_ids)s::bigint[]), (SELECT %(slots)s::timestamptz[]), (SELECT %(tokens)s::int[]),
                (SELECT %(more)s::int[]), (SELECT %(exclusive)s::boolean[]), (SELECT %(delays)s::float8[]))
        AS asked (job_id, scheduled_for, token, more, exclusive, delay)
      ON asked.job_id = run.job_id AND asked.scheduled_for = run.scheduled_for
    WHERE run.scheduled_for BETWEEN %(lo)s::timestamptz AND %(hi)s::timestamptz
      AND run.status = 'dead' AND run.token = coalesce(asked.token, run.token)
    ORDER BY run.job_id, run.scheduled_for
    FOR NO KEY UPDATE OF run
), locked AS MATERIALIZED (
    -- one instant for all, when every lock is held: the distances between the starts are those of the delays
    SELECT clock_timestamp() AS at FROM (SELECT count(*) FROM held) AS rows
)
UPDATE jobs_jobrun AS run
SET status = 'queued', token = run.token + 1, max_attempts = run.max_attempts + held.more,
    run_after = locked.at + held.delay * interval '1 second',
    dispatched_at = NULL, locked_by = NULL, locked_until = NULL, finished_at = NULL, cancel_requested_at = NULL,
    start_by = NULL, replaces = NULL, fanned_out_at = NULL, exclusive = held.exclusive,
    errors = CASE WHEN jsonb_array_length(run.errors) < %(history)s THEN run.errors ELSE run.errors - 0 END
             || jsonb_strip_nulls(jsonb_build_object('kind', 'replayed', 'at', locked.at,
                                                     'by', nullif(%(who)s::text, '')))
FROM held, locked
WHERE run.job_id = held.job_id AND run.scheduled_for = held.scheduled_for
  AND run.scheduled_for BETWEEN %(lo)s::timestamptz AND %(hi)s::timestamptz
RETURNING run.job_id, (extract(epoch FROM run.scheduled_for) * 1000000)::bigint AS slot_us
