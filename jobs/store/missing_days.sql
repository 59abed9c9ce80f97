-- The days from today (UTC) to 14 days ahead that no partition of the run table holds. params: none. locks: none.
-- rows: (days_ahead), 0 for today, in order.
SELECT missing - (statement_timestamp() AT TIME ZONE 'UTC')::date AS days_ahead
FROM jobs_missing_partitions((statement_timestamp() AT TIME ZONE 'UTC')::date,
                             (statement_timestamp() AT TIME ZONE 'UTC')::date + 14) AS missing
ORDER BY missing
