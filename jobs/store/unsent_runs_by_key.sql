-- Which of these runs are to be sent now, with what their messages need of the job.
-- params: parallel arrays job_id, scheduled_for; lo, hi: the range of scheduled_for.
-- locks: none. index: jobrun_slot. rows: as unsent_runs.
SELECT r.job_id, (extract(epoch FROM r.scheduled_for) * 1000000)::bigint AS slot_us, r.token, r.queue, r.payload::text,
       j.name, j.queue AS job_queue, j.task, j.args::text, j.kwargs::text, j.timeout_seconds, j.soft_timeout_seconds
FROM unnest((SELECT %(job_id)s::bigint[]), (SELECT %(scheduled_for)s::timestamptz[])) AS k (job_id, scheduled_for)
JOIN jobs_jobrun AS r ON r.job_id = k.job_id AND r.scheduled_for = k.scheduled_for
JOIN jobs_job AS j ON j.id = r.job_id
WHERE r.scheduled_for BETWEEN %(lo)s AND %(hi)s
  AND r.status = 'queued' AND r.dispatched_at IS NULL AND r.run_after <= statement_timestamp()
