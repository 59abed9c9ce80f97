-- Insert one run by hand that is due now, of a job that is still as it was read. Its slot is now, never a whole second.
-- params: job_id, version, trigger, max_attempts, deadline_seconds or NULL, queue, priority, payload (JSON text or NULL).
-- locks: the job, FOR SHARE, so that it is not archived meanwhile; the new row. index: jobs_job_pkey, jobrun_slot.
-- rows: the run; none when the job has changed or the slot is taken.
INSERT INTO jobs_jobrun (
    job_id, scheduled_for, trigger, max_attempts, due_at, start_by, run_after, queue, priority, payload, webhook_id)
SELECT job.id, slot, %(trigger)s, %(max_attempts)s, slot,
       slot + %(deadline_seconds)s::int * interval '1 second', slot, %(queue)s, %(priority)s, %(payload)s::jsonb,
       job.webhook_id
FROM (SELECT id, webhook_id FROM jobs_job
      WHERE id = %(job_id)s AND version = %(version)s AND archived_at IS NULL FOR SHARE) AS job,
     (SELECT CASE WHEN date_trunc('second', now) = now THEN now + interval '1 microsecond' ELSE now END AS slot
      FROM clock_timestamp() AS now) AS at
ON CONFLICT (job_id, scheduled_for) DO NOTHING
RETURNING job_id, scheduled_for, due_at, run_after
