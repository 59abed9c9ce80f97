-- Mend a stretch of jobs that nothing would ever look at again. One without a cursor gets one, which takes up where
-- runs, gaps and earlier definitions end. One that has neither a next slot, nor a plan to be made, nor an error is named:
-- it may have been lost, or its last slot may be over. The stretch is looked at by its bounds, and the next slot by no
-- index, as in replan_cursors.sql.
-- params: after_job (id), batch. locks: none but new rows. index: jobs_job_pkey, jobs_cursor_pkey; for lost ones alone
-- jobrun_slot, gap_job, and the key of jobs_jobversion.
-- rows: one: the last job id of the stretch (NULL when there is none left), the jobs with a new cursor, the idle ones, and
-- up to when each idle one is accounted for, in microseconds.
WITH stretch AS MATERIALIZED (
    SELECT max(id) AS last_job
    FROM (SELECT id FROM jobs_job WHERE id > %(after_job)s ORDER BY id LIMIT %(batch)s) AS jobs
), made AS (
    INSERT INTO jobs_cursor (job_id, shard, plan_from, plan_needed)
    SELECT job.id, job.id %% coalesce((SELECT (value #>> '{}')::int FROM jobs_state WHERE key = 'shards'), 1),
           greatest(job.created_at,
                    (SELECT max(valid_to) FROM jobs_jobversion WHERE job_id = job.id),
                    (SELECT max(until) FROM jobs_slotgap WHERE job_id = job.id),
                    (SELECT max(scheduled_for) FROM jobs_jobrun WHERE job_id = job.id AND trigger = 'schedule')),
           true
    FROM jobs_job AS job
    WHERE job.id > %(after_job)s AND job.id <= (SELECT last_job FROM stretch)
      AND NOT EXISTS (
          SELECT FROM jobs_cursor
          WHERE job_id = job.id AND job_id > %(after_job)s AND job_id <= (SELECT last_job FROM stretch))
    ON CONFLICT DO NOTHING
    RETURNING job_id
), idle AS (
    SELECT held.job_id, (extract(epoch FROM greatest(held.plan_from, held.last_slot)) * 1000000)::bigint AS accounted_us
    FROM jobs_cursor AS held JOIN jobs_job AS job ON job.id = held.job_id
    WHERE job.id > %(after_job)s AND job.id <= (SELECT last_job FROM stretch)
      AND held.job_id > %(after_job)s AND held.job_id <= (SELECT last_job FROM stretch)
      AND (held.next_run_at IS NULL) IS TRUE AND NOT held.plan_needed AND held.error = ''
      AND job.enabled AND job.archived_at IS NULL AND (NOT job.paused OR job.paused_until IS NOT NULL)
      AND job.kind <> 'manual'
      AND (job.kind <> 'once' OR greatest(held.plan_from, held.last_slot) < job.once_at)
      AND (job.end_at IS NULL OR greatest(held.plan_from, held.last_slot) < job.end_at)
)
SELECT (SELECT last_job FROM stretch) AS last_job, array(SELECT job_id FROM made) AS made,
       array(SELECT job_id FROM idle ORDER BY job_id) AS idle,
       array(SELECT accounted_us FROM idle ORDER BY job_id) AS accounted_us
