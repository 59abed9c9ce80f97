-- What a run by hand needs to know of a job.
-- params: name; team_id, or NULL for any. locks: none. index: job_name_living. rows: one, or none.
SELECT id, name, task, endpoint_id IS NOT NULL AS is_http, queue, priority, max_attempts,
       starting_deadline_seconds AS deadline_seconds, concurrency_policy = 'allow' AS is_free,
       parameters_schema IS NOT NULL AS has_schema, version
FROM jobs_job
WHERE name = %(name)s AND archived_at IS NULL AND (%(team_id)s::int IS NULL OR team_id = %(team_id)s)
