-- The runs that were inserted last, as a sample: how they stand, and how late their first attempts started.
-- params: lo, hi (bounds of scheduled_for: few partitions); limit.
-- locks: none. index: the partitions' primary keys, backwards. rows: one a status,
--   (status, runs; over all statuses: starts of the last minute, median and p99 of their delay in seconds).
WITH newest AS MATERIALIZED (
    SELECT status, CASE WHEN attempts <= 1 AND losses = 0 AND started_at > statement_timestamp() - interval '1 minute'
                        THEN extract(epoch FROM started_at - due_at) END AS delay
    FROM jobs_jobrun
    WHERE scheduled_for > %(lo)s::timestamptz AND scheduled_for <= %(hi)s::timestamptz
    ORDER BY id DESC
    LIMIT %(limit)s
)
SELECT by_status.status, by_status.runs, delays.starts, delays.median, delays.p99
FROM (SELECT status, count(*) AS runs FROM newest GROUP BY status) AS by_status
CROSS JOIN (
    SELECT count(delay) AS starts, percentile_disc(0.5) WITHIN GROUP (ORDER BY delay)::float8 AS median,
           percentile_disc(0.99) WITHIN GROUP (ORDER BY delay)::float8 AS p99
    FROM newest
) AS delays
ORDER BY by_status.status
