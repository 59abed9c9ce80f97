-- Record gaps; they are counted later.
-- params: parallel arrays, one element a gap. locks: the new rows. touches: each gap.
INSERT INTO jobs_slotgap (job_id, after, until, reason, version)
SELECT * FROM unnest(
    (SELECT %(job_id)s::bigint[]), (SELECT %(after)s::timestamptz[]), (SELECT %(until)s::timestamptz[]),
    (SELECT %(reason)s::text[]), (SELECT %(version)s::int[]))
