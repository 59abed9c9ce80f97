-- Put a stretch of cursors into the shards that the written number (1 where none is) gives their jobs. One whose lock
-- someone holds is passed by. Each step looks at the stretch by its bounds: joined by the keys alone, the whole table
-- would be read for each.
-- params: after_job (id), batch. locks: the cursors moved, FOR NO KEY UPDATE. index: jobs_cursor_pkey.
-- rows: one: the last job id of the stretch (NULL when there is none left), how many were moved, and how many are held.
WITH number AS MATERIALIZED (
    SELECT coalesce((SELECT (value #>> '{}')::int FROM jobs_state WHERE key = 'shards'), 1) AS written
), stretch AS MATERIALIZED (
    SELECT max(job_id) AS last_job
    FROM (SELECT job_id FROM jobs_cursor WHERE job_id > %(after_job)s ORDER BY job_id LIMIT %(batch)s) AS jobs
), free AS MATERIALIZED (
    SELECT job_id FROM jobs_cursor
    WHERE job_id > %(after_job)s AND job_id <= (SELECT last_job FROM stretch)
      AND shard <> job_id %% (SELECT written FROM number)
    ORDER BY job_id
    FOR NO KEY UPDATE SKIP LOCKED
), moved AS (
    UPDATE jobs_cursor AS cursor SET shard = cursor.job_id %% (SELECT written FROM number)
    FROM free
    WHERE cursor.job_id = free.job_id
      AND cursor.job_id > %(after_job)s AND cursor.job_id <= (SELECT last_job FROM stretch)
    RETURNING cursor.job_id
), astray AS (
    SELECT count(*) AS cursors FROM jobs_cursor
    WHERE job_id > %(after_job)s AND job_id <= (SELECT last_job FROM stretch)
      AND shard <> job_id %% (SELECT written FROM number)
)
SELECT (SELECT last_job FROM stretch) AS last_job,
       (SELECT count(*) FROM moved) AS moved,
       (SELECT cursors FROM astray) - (SELECT count(*) FROM moved) AS held
