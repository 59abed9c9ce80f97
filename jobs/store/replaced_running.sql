-- Which runs, asked to end by a replacing one, still run under a live lease.
-- params: parallel arrays job_ids, slots; lo, hi: the range of the slots; now as in claim.sql.
-- locks: none: a run asked to end is never queued again. index: jobrun_slot. rows: their keys.
SELECT run.job_id, (extract(epoch FROM run.scheduled_for) * 1000000)::bigint AS slot_us
FROM jobs_jobrun run
JOIN unnest((SELECT %(job_ids)s::bigint[]), (SELECT %(slots)s::timestamptz[])) AS old (job_id, scheduled_for)
    USING (job_id, scheduled_for)
WHERE run.scheduled_for BETWEEN %(lo)s::timestamptz AND %(hi)s::timestamptz
  AND run.status = 'running' AND run.locked_until > coalesce(%(now)s::timestamptz, statement_timestamp())
