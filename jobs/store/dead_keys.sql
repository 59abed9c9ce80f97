-- Dead runs of a group, oldest slot first, behind a place in that order: the candidates of a replay.
-- params: error_group; since, until (bounds of scheduled_for); after_slot, after_job: behind this run, or NULLs;
--   job_id: of this job only, or NULL; but: jobs left out; limit.
-- locks: none; the replay is guarded by the token read here. index: jobrun_dead. rows: (job_id, slot_us, token).
SELECT run.job_id, (extract(epoch FROM run.scheduled_for) * 1000000)::bigint AS slot_us, run.token
FROM jobs_jobrun AS run
WHERE run.error_group = %(error_group)s
  AND run.scheduled_for >= coalesce(%(after_slot)s::timestamptz, %(since)s::timestamptz)
  AND run.scheduled_for < %(until)s::timestamptz
  AND (%(after_slot)s::timestamptz IS NULL
       OR (run.scheduled_for, run.job_id) > (%(after_slot)s::timestamptz, %(after_job)s::bigint))
  AND (%(job_id)s::bigint IS NULL OR run.job_id = %(job_id)s::bigint)
  AND run.job_id <> ALL (%(but)s::bigint[])
ORDER BY run.scheduled_for, run.job_id
LIMIT %(limit)s
