-- Keep jobs from being archived until the transaction ends; other changes of them wait too, other runs do not.
-- params: job_ids. locks: the jobs, FOR SHARE, in job order, before their cursors, as the planning trigger does.
-- index: jobs_job_pkey. rows: (id, name, concurrency_policy, max_attempts) of those that are not archived.
SELECT id, name, concurrency_policy, max_attempts
FROM jobs_job
WHERE id = ANY (%(job_ids)s::bigint[]) AND archived_at IS NULL
ORDER BY id
FOR SHARE
