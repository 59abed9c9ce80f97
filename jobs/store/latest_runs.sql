-- The newest run of each of a page of jobs, by slot; runs asked for a later time do not count.
-- params: job_ids. locks: none. index: jobrun_slot, newest partition first until one holds a run of the job.
-- rows: job_id, scheduled_for, status; none for a job that never ran.
SELECT latest.job_id, latest.scheduled_for, latest.status
FROM unnest(%(job_ids)s::bigint[]) AS asked (job_id)
CROSS JOIN LATERAL (
    SELECT run.job_id, run.scheduled_for, run.status
    FROM jobs_jobrun AS run
    WHERE run.job_id = asked.job_id AND run.scheduled_for <= statement_timestamp()
    ORDER BY run.scheduled_for DESC
    LIMIT 1
) AS latest
