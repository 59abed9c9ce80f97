-- Queues that unfinished, unclaimed runs name and the settings do not: nobody sends these runs, or takes them.
-- A step a queue from one to the next in the indexes, however many runs wait.
-- params: queues (the known ones); limit. locks: none. index: jobrun_ready, jobrun_out (all partitions).
-- rows: (queue), in order.
WITH RECURSIVE waiting AS (
    SELECT ''::text AS queue
    UNION ALL
    SELECT least(unsent.queue, sent.queue)::text
    FROM waiting
    CROSS JOIN LATERAL (
        SELECT min(run.queue) AS queue FROM jobs_jobrun AS run
        WHERE run.dispatched_at IS NULL AND run.finished_at IS NULL AND run.queue > waiting.queue
    ) AS unsent
    CROSS JOIN LATERAL (
        SELECT min(run.queue) AS queue FROM jobs_jobrun AS run
        WHERE run.dispatched_at IS NOT NULL AND run.locked_by IS NULL AND run.finished_at IS NULL
          AND run.queue > waiting.queue
    ) AS sent
    WHERE waiting.queue IS NOT NULL
)
SELECT queue FROM waiting WHERE queue <> '' AND queue <> ALL(%(queues)s::text[]) LIMIT %(limit)s
