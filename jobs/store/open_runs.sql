-- The unfinished runs of exclusive jobs. Under forbid and replace the caller holds the jobs' cursor locks and runs
-- this as a statement of its own, so that its snapshot is younger than the locks.
-- params: job_ids. locks: none. index: jobrun_open (all partitions; few rows). rows: oldest slot first.
SELECT job_id, scheduled_for, status, cancel_requested_at
FROM jobs_jobrun
WHERE job_id = ANY((SELECT %(job_ids)s::bigint[])::bigint[]) AND finished_at IS NULL AND exclusive
ORDER BY job_id, scheduled_for
