-- What stands in each queue, each number counted up to a limit.
-- params: queues; limit. locks: none. index: jobrun_ready, jobrun_out, jobrun_leased: unfinished runs alone. The orders
--   are the indexes' own: without them the planner reads a partition whose runs are mostly waiting from end to end.
-- rows: (queue, waiting: due and not sent yet; sent: with the broker; running), in the order of the queues.
WITH leased AS MATERIALIZED (
    SELECT queue FROM jobs_jobrun WHERE locked_by IS NOT NULL ORDER BY locked_by LIMIT %(limit)s
)
SELECT asked.queue, waiting.number AS waiting, sent.number AS sent,
       (SELECT count(*) FROM leased WHERE leased.queue = asked.queue) AS running
FROM unnest(%(queues)s::text[]) WITH ORDINALITY AS asked (queue, place)
CROSS JOIN LATERAL (
    SELECT count(*) AS number
    FROM (SELECT
          FROM generate_series(9, 0, -1) AS p (priority)  -- one by one: what is not due yet may be much
          CROSS JOIN LATERAL (
              SELECT FROM jobs_jobrun
              WHERE queue = asked.queue AND priority = p.priority AND dispatched_at IS NULL AND finished_at IS NULL
                AND run_after <= statement_timestamp()
              ORDER BY run_after
              LIMIT %(limit)s
          ) AS due_of_priority
          LIMIT %(limit)s) AS due
) AS waiting
CROSS JOIN LATERAL (
    SELECT count(*) AS number
    FROM (SELECT FROM jobs_jobrun
          WHERE queue = asked.queue AND dispatched_at IS NOT NULL AND locked_by IS NULL AND finished_at IS NULL
          ORDER BY dispatched_at
          LIMIT %(limit)s) AS out
) AS sent
ORDER BY asked.place
