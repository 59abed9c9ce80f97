-- Keep a job from being archived until the transaction ends; other changes of it wait too, other runs do not.
-- params: job_id. locks: the job, FOR SHARE, before its cursor, as the planning trigger does. index: jobs_job_pkey.
-- rows: its id, or none when it is archived or gone.
SELECT id FROM jobs_job WHERE id = %(job_id)s AND archived_at IS NULL FOR SHARE
