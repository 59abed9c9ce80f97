-- What stands in each queue, each number counted up to a limit.
-- params: queues; limit. locks: none. index: jobrun_ready, jobrun_out, jobrun_leased: unfinished runs alone. The orders
--   are the indexes' own: without them the planner reads a partition whose runs are mostly waiting from end to end.
-- rows: (queue, waiting: due and not sent yet, oldest_waiting_at: since when the longest; sent: with the broker,
--   oldest_sent_at; running; is_held: one of them by a lease that goes on), in the order of the queues.
WITH leased AS MATERIALIZED (
    SELECT queue, locked_until FROM jobs_jobrun WHERE locked_by IS NOT NULL ORDER BY locked_by LIMIT 10 * %(limit)s
)
SELECT asked.queue, waiting.number AS waiting, waiting.oldest AS oldest_waiting_at,
       sent.number AS sent, sent.oldest AS oldest_sent_at, least(running.number, %(limit)s) AS running, running.is_held
FROM unnest(%(queues)s::text[]) WITH ORDINALITY AS asked (queue, place)
CROSS JOIN LATERAL (
    SELECT least(sum(of_priority.number), %(limit)s)::bigint AS number, min(of_priority.oldest) AS oldest
    FROM generate_series(9, 0, -1) AS p (priority)  -- one by one: what is not due yet may be much
    CROSS JOIN LATERAL (
        SELECT count(*) AS number, min(run_after) AS oldest
        FROM (SELECT run_after FROM jobs_jobrun
              WHERE queue = asked.queue AND priority = p.priority AND dispatched_at IS NULL AND finished_at IS NULL
                AND run_after <= statement_timestamp()
              ORDER BY run_after
              LIMIT %(limit)s) AS due
    ) AS of_priority
) AS waiting
CROSS JOIN LATERAL (
    SELECT count(*) AS number, min(dispatched_at) AS oldest
    FROM (SELECT dispatched_at FROM jobs_jobrun
          WHERE queue = asked.queue AND dispatched_at IS NOT NULL AND locked_by IS NULL AND finished_at IS NULL
          ORDER BY dispatched_at
          LIMIT %(limit)s) AS out
) AS sent
CROSS JOIN LATERAL (
    SELECT count(*) AS number, coalesce(bool_or(locked_until > statement_timestamp()), false) AS is_held
    FROM leased WHERE leased.queue = asked.queue
) AS running
ORDER BY asked.place
