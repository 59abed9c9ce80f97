-- Which settlements were written although their answer was lost with the connection.
-- params: parallel arrays job_ids, slots, tokens (of the leases), statuses, last_errors (as they were to be written);
--   lo, hi: the range of the slots.
-- locks: none. index: jobrun_slot.
-- rows: (job_id, slot_us, status) of each run that nobody has claimed since, with that status (or cancelled
--   where it was to be queued) and that last error: the reaper, who may have been first, leaves another.
SELECT run.job_id, (extract(epoch FROM run.scheduled_for) * 1000000)::bigint AS slot_us, run.status
FROM jobs_jobrun run
JOIN unnest((SELECT %(job_ids)s::bigint[]), (SELECT %(slots)s::timestamptz[]), (SELECT %(tokens)s::int[]),
            (SELECT %(statuses)s::text[]), (SELECT %(last_errors)s::text[]))
    AS done (job_id, scheduled_for, token, status, last_error)
    USING (job_id, scheduled_for)
WHERE run.token = done.token AND run.last_error = done.last_error
  AND (run.status = done.status OR (run.status = 'cancelled' AND done.status = 'queued'))
  AND run.scheduled_for BETWEEN %(lo)s::timestamptz AND %(hi)s::timestamptz
