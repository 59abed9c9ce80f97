-- How many dead runs have their slot in a span of time: group by group, each counted by its own range of the index, so
-- that what lies before the span is never passed by.
-- params: day (the beginning of the day that holds since: no step from group to group passes by rows outside it);
--   since, until (bounds of scheduled_for); limit: where counting stops; groups at most.
-- locks: none. index: jobrun_dead alone. rows: one, (runs).
WITH RECURSIVE found AS (
    SELECT ''::text AS error_group, 0::bigint AS runs, 0 AS number
    UNION ALL
    SELECT following.error_group::text, found.runs + (
               SELECT count(*) FROM (
                   SELECT FROM jobs_jobrun AS run
                   WHERE run.error_group = following.error_group
                     AND run.scheduled_for >= %(since)s::timestamptz AND run.scheduled_for < %(until)s::timestamptz
                   LIMIT %(limit)s
               ) AS dead), found.number + 1
    FROM found
    CROSS JOIN LATERAL (
        SELECT run.error_group
        FROM jobs_jobrun AS run
        WHERE run.error_group > found.error_group
          AND run.scheduled_for >= %(day)s::timestamptz AND run.scheduled_for < %(until)s::timestamptz
        ORDER BY run.error_group
        LIMIT 1
    ) AS following
    WHERE found.number < %(groups)s AND found.runs < %(limit)s
)
SELECT least(max(runs), %(limit)s) AS runs FROM found
