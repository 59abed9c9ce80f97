-- Take back the pause that has just been ended: its gaps go, and the cursor stands where the pause began.
-- The pause is the chain of versions up to the cursor's plan_from that were enabled, paused to their end, and had the
-- schedule of today; a pause that was prolonged is several of them.
-- params: job_id; fields: names of the schedule's columns.
-- locks: the cursor is locked already, by the planning trigger in this transaction. index: jobversion_number, gap_job.
-- rows: (plan_from), or none when there was no such pause.
WITH RECURSIVE today AS (
    SELECT cursor.plan_from,
           (SELECT jsonb_object_agg(key, value) FROM jsonb_each(to_jsonb(job)) WHERE key = ANY(%(fields)s)) AS schedule
    FROM jobs_cursor AS cursor JOIN jobs_job AS job ON job.id = cursor.job_id
    WHERE cursor.job_id = %(job_id)s
), paused AS (
    SELECT version.valid_from, version.valid_to
    FROM jobs_jobversion AS version, today
    WHERE version.job_id = %(job_id)s
      AND (version.definition ->> 'enabled')::boolean AND (version.definition ->> 'paused')::boolean
      AND coalesce((version.definition ->> 'paused_until')::timestamptz, 'infinity') >= version.valid_to
      AND (SELECT jsonb_object_agg(key, value) FROM jsonb_each(version.definition) WHERE key = ANY(%(fields)s))
          = today.schedule
), pause AS (
    SELECT paused.valid_from FROM paused JOIN today ON paused.valid_to = today.plan_from
    UNION
    SELECT paused.valid_from FROM paused JOIN pause ON paused.valid_to = pause.valid_from
), began AS (
    SELECT min(valid_from) AS at FROM pause
), gaps AS (
    DELETE FROM jobs_slotgap AS gap USING began, today
    WHERE gap.job_id = %(job_id)s AND gap.reason = 'paused' AND gap.after >= began.at AND gap.until <= today.plan_from
)
UPDATE jobs_cursor SET plan_from = began.at
FROM began WHERE job_id = %(job_id)s AND began.at IS NOT NULL
RETURNING plan_from
