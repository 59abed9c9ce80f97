-- Lock the cursors of jobs: whoever inserts or revives a run of a forbid or replace job holds this first.
-- params: job_ids. locks: cursor rows, FOR NO KEY UPDATE, in job order; waits. rows: job_id.
SELECT job_id FROM jobs_cursor WHERE job_id = ANY((SELECT %(job_ids)s::bigint[])::bigint[]) ORDER BY job_id FOR NO KEY UPDATE
