-- Note that the ends of these runs are told. The caller holds their rows and has made a run that tells of each.
-- params: parallel arrays job_ids, slots; lo, hi: range of the slots.
-- locks: held already. index: jobrun_slot. touches: each run.
UPDATE jobs_jobrun AS run
SET fanned_out_at = clock_timestamp()
FROM unnest((SELECT %(job_ids)s::bigint[]), (SELECT %(slots)s::timestamptz[])) AS told (job_id, scheduled_for)
WHERE run.job_id = told.job_id AND run.scheduled_for = told.scheduled_for
  AND run.scheduled_for BETWEEN %(lo)s::timestamptz AND %(hi)s::timestamptz
