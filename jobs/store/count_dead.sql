-- How many dead runs a group has, as far as anyone counts.
-- params: error_group; since, until (bounds of scheduled_for); job_id: of this job only, or NULL; cap.
-- locks: none. index: jobrun_dead alone. rows: one, (runs).
SELECT count(*) AS runs
FROM (
    SELECT FROM jobs_jobrun AS run
    WHERE run.error_group = %(error_group)s
      AND run.scheduled_for >= %(since)s::timestamptz AND run.scheduled_for < %(until)s::timestamptz
      AND (%(job_id)s::bigint IS NULL OR run.job_id = %(job_id)s::bigint)
    LIMIT %(cap)s
) AS dead
