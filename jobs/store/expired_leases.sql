-- Runs whose lease is over and that nobody has reaped yet, counted up to a limit.
-- params: limit. locks: none. index: jobrun_leased: the running runs alone, all partitions.
-- rows: one, (expired, oldest: when the longest was over, of those counted).
SELECT count(*) AS expired, min(locked_until) AS oldest
FROM (
    SELECT locked_until FROM jobs_jobrun
    WHERE locked_by IS NOT NULL AND locked_until < statement_timestamp()
    LIMIT %(limit)s
) AS lost
