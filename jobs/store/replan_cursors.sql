-- Mark a stretch of cursors (of all shards) for planning anew, where their next slot lies ahead. What is due is left to emission.
-- params: after_job (id), batch. locks: cursor rows. index: jobs_cursor_pkey.
-- rows: one: the last job id of the stretch, NULL when there is none left.
WITH stretch AS (
    SELECT job_id, next_run_at FROM jobs_cursor
    WHERE job_id > %(after_job)s ORDER BY job_id LIMIT %(batch)s
), marked AS (
    UPDATE jobs_cursor AS cursor SET plan_needed = true
    FROM stretch
    WHERE cursor.job_id = stretch.job_id AND cursor.next_run_at > statement_timestamp()
)
SELECT max(job_id) AS last_job FROM stretch
