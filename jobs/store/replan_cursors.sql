-- Mark a stretch of cursors (of all shards) for planning anew, where their next slot lies ahead. What is due is left to
-- emission. The stretch is looked at by its bounds, and the time by no index: with statistics from before the jobs were
-- planned, the planner expects no slot ahead, and would read all that there are for each stretch.
-- params: after_job (id), batch. locks: cursor rows. index: jobs_cursor_pkey.
-- rows: one: the last job id of the stretch, NULL when there is none left.
WITH stretch AS MATERIALIZED (
    SELECT max(job_id) AS last_job
    FROM (SELECT job_id FROM jobs_cursor WHERE job_id > %(after_job)s ORDER BY job_id LIMIT %(batch)s) AS jobs
), marked AS (
    UPDATE jobs_cursor SET plan_needed = true
    WHERE job_id > %(after_job)s AND job_id <= (SELECT last_job FROM stretch)
      AND (next_run_at > statement_timestamp()) IS TRUE
)
SELECT last_job FROM stretch
