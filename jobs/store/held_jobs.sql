-- Lock the unfinished runs of jobs that a new run is to replace, and name the jobs of those that someone else holds.
-- params: job_ids. locks: the other runs, FOR NO KEY UPDATE; waits for none. index: jobrun_open (all partitions; few
-- rows). rows: one a job.
WITH free AS MATERIALIZED (
    SELECT job_id, scheduled_for
    FROM jobs_jobrun
    WHERE job_id = ANY((SELECT %(job_ids)s::bigint[])::bigint[]) AND finished_at IS NULL AND exclusive
    FOR NO KEY UPDATE SKIP LOCKED
)
SELECT DISTINCT job_id
FROM jobs_jobrun AS run
WHERE job_id = ANY((SELECT %(job_ids)s::bigint[])::bigint[]) AND finished_at IS NULL AND exclusive
  AND NOT EXISTS (SELECT FROM free WHERE job_id = run.job_id AND scheduled_for = run.scheduled_for)
