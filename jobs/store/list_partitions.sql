-- The run table's partitions, also those whose detach was cut off and tables that outlived their detach.
-- params: none. locks: none. rows: (name, state, rows: live now as counted, analyzed_rows: when last analyzed).
SELECT child.relname AS name,
       CASE WHEN inherits.inhrelid IS NULL THEN 'detached'
            WHEN inherits.inhdetachpending THEN 'pending' ELSE 'attached' END AS state,
       coalesce(pg_stat_get_live_tuples(child.oid), 0) AS rows,
       greatest(child.reltuples, 0)::bigint AS analyzed_rows
FROM pg_class AS child
LEFT JOIN pg_inherits AS inherits
    ON inherits.inhrelid = child.oid AND inherits.inhparent = 'jobs_jobrun'::regclass
WHERE child.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'jobs_jobrun'::regclass)
  AND child.relkind = 'r' AND child.relname ~ '^jobs_jobrun_p([0-9]{6}|[0-9]{8})$'
ORDER BY 1
