-- What claimed runs of HTTP jobs call, by the definitions of now.
-- params: parallel arrays job_ids, slots; lo, hi: the range of the slots.
-- locks: none. index: jobrun_slot, primary keys.
-- rows: one a run whose job has an endpoint.
SELECT run.job_id, (extract(epoch FROM run.scheduled_for) * 1000000)::bigint AS slot_us, endpoint.name, endpoint.url,
       endpoint.enabled, coalesce(job.timeout_seconds, endpoint.timeout_seconds) AS seconds,
       endpoint.headers::text AS endpoint_headers, job.headers::text AS job_headers, coalesce(run.payload -> 'body', job.body)::text AS body,
       endpoint.sealed_headers, endpoint.sealed_secret
FROM unnest((SELECT %(job_ids)s::bigint[]), (SELECT %(slots)s::timestamptz[])) AS key (job_id, scheduled_for)
JOIN jobs_jobrun run ON run.job_id = key.job_id AND run.scheduled_for = key.scheduled_for
JOIN jobs_job job ON job.id = run.job_id
JOIN jobs_endpoint endpoint ON endpoint.id = job.endpoint_id
WHERE run.scheduled_for BETWEEN %(lo)s::timestamptz AND %(hi)s::timestamptz
