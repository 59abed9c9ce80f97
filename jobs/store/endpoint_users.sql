-- How many living jobs call each of a page of endpoints or have it told of their runs' ends, counted up to a cap.
-- params: endpoint_ids, cap (jobs). locks: none. index: the foreign keys' on jobs_job.
-- rows: endpoint_id, jobs; one for each id that was asked for.
SELECT asked.endpoint_id, users.jobs
FROM unnest(%(endpoint_ids)s::bigint[]) AS asked (endpoint_id)
CROSS JOIN LATERAL (
    SELECT count(*) AS jobs
    FROM (
        SELECT FROM jobs_job
        WHERE (endpoint_id = asked.endpoint_id OR webhook_id = asked.endpoint_id) AND archived_at IS NULL
        LIMIT %(cap)s
    ) AS living
) AS users
