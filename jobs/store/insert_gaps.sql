-- Record gaps; they are counted later.
-- params: parallel arrays, one element a gap. locks: the new rows. touches: each gap.
INSERT INTO jobs_slotgap (job_id, after, until, reason, version)
SELECT * FROM unnest(
    %(job_id)s::bigint[], %(after)s::timestamptz[], %(until)s::timestamptz[], %(reason)s::text[], %(version)s::int[])
