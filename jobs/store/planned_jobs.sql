-- What planning and emission read of jobs. Run as a statement of its own after the cursors' locks, so that its
-- snapshot is younger than any edit those locks waited for or fend off.
-- params: job_ids. locks: none. index: jobs_job_pkey. rows: one a job; the order of columns is PlannedJob's, then
-- ScheduleSpec's.
SELECT id, version, enabled AND archived_at IS NULL, paused, paused_until, concurrency_policy,
       starting_deadline_seconds, catch_up, catch_up_limit, queue, task, priority, max_attempts, spread_seconds,
       webhook_id,
       kind, cron, interval_seconds, anchor_at, calendar_every, calendar_unit, anchor_date, wall_time, once_at,
       timezone, start_at, end_at
FROM jobs_job
WHERE id = ANY((SELECT %(job_ids)s::bigint[])::bigint[])
