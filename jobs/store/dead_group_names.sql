-- The groups of dead runs, each with its newest slot: stepped through from group to group, never row by row.
-- params: since, until (bounds of scheduled_for; whole days, so that no step has to pass by rows outside them);
--   limit: groups at most, by their hexadecimal names.
-- locks: none. index: jobrun_dead, two probes a group and partition. rows: (error_group, newest), newest first.
WITH RECURSIVE found AS (
    (SELECT run.error_group, 1 AS number
     FROM jobs_jobrun AS run
     WHERE run.error_group IS NOT NULL
       AND run.scheduled_for >= %(since)s::timestamptz AND run.scheduled_for < %(until)s::timestamptz
     ORDER BY run.error_group
     LIMIT 1)
    UNION ALL
    SELECT following.error_group, found.number + 1
    FROM found
    CROSS JOIN LATERAL (
        SELECT run.error_group
        FROM jobs_jobrun AS run
        WHERE run.error_group > found.error_group
          AND run.scheduled_for >= %(since)s::timestamptz AND run.scheduled_for < %(until)s::timestamptz
        ORDER BY run.error_group
        LIMIT 1
    ) AS following
    WHERE found.number < %(limit)s
)
SELECT found.error_group, newest.scheduled_for AS newest
FROM found
CROSS JOIN LATERAL (
    SELECT run.scheduled_for
    FROM jobs_jobrun AS run
    WHERE run.error_group = found.error_group
      AND run.scheduled_for >= %(since)s::timestamptz AND run.scheduled_for < %(until)s::timestamptz
    ORDER BY run.scheduled_for DESC
    LIMIT 1
) AS newest
ORDER BY newest.scheduled_for DESC, found.error_group
