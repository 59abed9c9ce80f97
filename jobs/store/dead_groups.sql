-- What is known of some groups of dead runs: how many runs and jobs, from when to when, the newest run and its error.
-- params: groups; since, until (bounds of scheduled_for); cap: runs of a group counted, the newest of them.
-- locks: none. index: jobrun_dead alone for the counts; one row read for the newest.
-- rows: (error_group, job_id, slot_us, error, runs, jobs, first_at, last_at); none for a group without a run.
SELECT asked.error_group, newest.job_id, newest.slot_us, newest.error,
       counted.runs, counted.jobs, counted.first_at, counted.last_at
FROM unnest(%(groups)s::text[]) AS asked (error_group)
CROSS JOIN LATERAL (
    SELECT run.job_id, (extract(epoch FROM run.scheduled_for) * 1000000)::bigint AS slot_us,
           left(run.last_error, 500) AS error
    FROM jobs_jobrun AS run
    WHERE run.error_group = asked.error_group
      AND run.scheduled_for >= %(since)s::timestamptz AND run.scheduled_for < %(until)s::timestamptz
    ORDER BY run.scheduled_for DESC, run.job_id DESC
    LIMIT 1
) AS newest
CROSS JOIN LATERAL (
    SELECT count(*) AS runs, count(DISTINCT job_id) AS jobs, min(finished_at) AS first_at, max(finished_at) AS last_at
    FROM (
        SELECT run.job_id, run.finished_at
        FROM jobs_jobrun AS run
        WHERE run.error_group = asked.error_group
          AND run.scheduled_for >= %(since)s::timestamptz AND run.scheduled_for < %(until)s::timestamptz
        ORDER BY run.scheduled_for DESC
        LIMIT %(cap)s
    ) AS run
) AS counted
ORDER BY newest.slot_us DESC, asked.error_group
