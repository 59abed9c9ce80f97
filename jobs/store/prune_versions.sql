-- Delete earlier definitions that ended before retention, unless a kept gap still tells of them or of older ones.
-- params: before (timestamptz), batch. locks: the rows. index: gap_job; the definitions are read whole, being few.
-- rows: none, a count.
DELETE FROM jobs_jobversion WHERE id IN (
    SELECT id FROM jobs_jobversion AS kept
    WHERE valid_to < %(before)s::timestamptz
      AND NOT EXISTS (SELECT FROM jobs_slotgap WHERE job_id = kept.job_id AND version <= kept.version)
    LIMIT %(batch)s)
