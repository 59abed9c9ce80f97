-- The first instant after the runs of a job that lie in one second, from a given one on.
-- params: job_id; wanted, below: the instant that is taken, and the end of its second (exclusive).
-- locks: none. index: jobrun_slot, one partition. rows: one, (free).
SELECT coalesce(max(scheduled_for) + interval '1 microsecond', %(wanted)s) AS free
FROM jobs_jobrun WHERE job_id = %(job_id)s AND scheduled_for >= %(wanted)s AND scheduled_for < %(below)s
