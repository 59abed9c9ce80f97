-- Cancel all queued runs of a job that is being archived. Its cursor is locked by then, so no more are emitted.
-- params: job_id; note for last_error. locks: the rows. index: jobrun_slot, all partitions. rows: none, a count.
UPDATE jobs_jobrun
SET status = 'cancelled', finished_at = clock_timestamp(), cancel_requested_at = clock_timestamp(), last_error = %(note)s
WHERE job_id = %(job_id)s AND status = 'queued' AND finished_at IS NULL
