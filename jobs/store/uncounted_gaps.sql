-- Gaps that wait to be counted, with the definition their slots belong to: the oldest kept version that is not older
-- than the gap's (versions that changed no schedule are not kept), else the job as it is.
-- params: limit. locks: gap rows, FOR UPDATE SKIP LOCKED. index: gap_uncounted, jobversion_number.
-- rows: (id, after, until, reason), then ScheduleSpec's columns.
SELECT gap.id, gap.after, gap.until, gap.reason,
       definition.kind, definition.cron, definition.interval_seconds, definition.anchor_at, definition.calendar_every,
       definition.calendar_unit, definition.anchor_date, definition.wall_time, definition.once_at,
       definition.timezone, definition.start_at, definition.end_at
FROM (
    SELECT * FROM jobs_slotgap WHERE count IS NULL ORDER BY id LIMIT %(limit)s FOR UPDATE SKIP LOCKED
) AS gap
LEFT JOIN LATERAL (
    SELECT kept.definition FROM jobs_jobversion AS kept
    WHERE kept.job_id = gap.job_id AND kept.version >= gap.version
    ORDER BY kept.version LIMIT 1
) AS kept ON true
LEFT JOIN jobs_job AS job ON job.id = gap.job_id
CROSS JOIN LATERAL jsonb_populate_record(NULL::jobs_job, coalesce(kept.definition, to_jsonb(job))) AS definition
ORDER BY gap.id
