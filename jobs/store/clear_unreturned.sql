-- Runs whose messages are lost: dispatched well before the newest marker that came back was sent, and still unclaimed.
-- Their dispatched_at is cleared, so that they go again. That it is still set says that the token is the one sent.
-- params: margin (interval), since, until (bounds of scheduled_for), limit.
-- locks: the runs; one locked by a claim is skipped. index: jobrun_out. rows: (queue) of each run cleared.
WITH lost AS MATERIALIZED (
    SELECT r.job_id, r.scheduled_for
    FROM jobs_marker AS m
    JOIN jobs_jobrun AS r ON r.queue = m.queue AND r.dispatched_at < m.returned_sent_at - %(margin)s::interval
    WHERE r.dispatched_at IS NOT NULL AND r.locked_by IS NULL AND r.finished_at IS NULL AND r.status = 'queued'
      AND r.scheduled_for > %(since)s::timestamptz AND r.scheduled_for <= %(until)s::timestamptz
    LIMIT %(limit)s
    FOR NO KEY UPDATE OF r SKIP LOCKED
)
UPDATE jobs_jobrun AS r SET dispatched_at = NULL
FROM lost
WHERE r.job_id = lost.job_id AND r.scheduled_for = lost.scheduled_for
  AND r.scheduled_for > %(since)s::timestamptz AND r.scheduled_for <= %(until)s::timestamptz
RETURNING r.queue
