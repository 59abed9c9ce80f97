-- End a queued run whose message the broker gave up on. A message of another token is an old one and ends nothing.
-- params: job_id, scheduled_for, token (the message's), reason, message; history: entries kept.
-- locks: the run. index: jobrun_slot. rows: number of runs ended.
UPDATE jobs_jobrun
SET status = 'dead',
    finished_at = clock_timestamp(),
    errors = CASE WHEN jsonb_array_length(errors) < %(history)s THEN errors ELSE errors - 0 END
             || jsonb_build_object('kind', %(reason)s::text, 'type', '', 'message', %(message)s::text,
                                   'at', clock_timestamp()),
    last_error = %(reason)s || ': ' || %(message)s
WHERE job_id = %(job_id)s AND scheduled_for = %(scheduled_for)s AND token = %(token)s AND status = 'queued'
