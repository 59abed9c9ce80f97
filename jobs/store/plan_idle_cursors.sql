-- Let cursors that wait for nothing be planned.
-- params: job_ids. locks: cursor rows. index: jobs_cursor_pkey. rows: none, a count.
UPDATE jobs_cursor SET plan_needed = true
WHERE job_id = ANY((SELECT %(job_ids)s::bigint[])::bigint[])
  AND (next_run_at IS NULL) IS TRUE AND NOT plan_needed AND error = ''
