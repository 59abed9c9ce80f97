-- Queue a dead run anew: same key, a new token, attempts that go on growing, no deadline. The errors stay and the
-- replay is noted among them.
-- params: job_id, slot; more: attempts added to what is allowed; exclusive: by the job's policy of today.
-- locks: the row. index: jobrun_slot, one partition. rows: (attempts), or none when the run is not dead.
UPDATE jobs_jobrun
SET status = 'queued', token = token + 1, max_attempts = max_attempts + %(more)s, run_after = clock_timestamp(),
    dispatched_at = NULL, locked_by = NULL, locked_until = NULL, finished_at = NULL, cancel_requested_at = NULL,
    start_by = NULL, replaces = NULL, fanned_out_at = NULL, exclusive = %(exclusive)s,
    errors = errors || jsonb_build_object('kind', 'replayed', 'at', clock_timestamp())
WHERE job_id = %(job_id)s AND scheduled_for = %(slot)s AND status = 'dead'
RETURNING attempts
