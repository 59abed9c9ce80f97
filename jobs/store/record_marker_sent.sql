-- A marker is about to be sent through a queue. params: queue. locks: the queue's row.
-- rows: one, (sent_at, is_coming_back): its time, and whether the marker before it, if any, has come back.
WITH before AS (SELECT sent_at, returned_sent_at FROM jobs_marker WHERE queue = %(queue)s)
INSERT INTO jobs_marker (queue, sent_at) VALUES (%(queue)s, clock_timestamp())
ON CONFLICT (queue) DO UPDATE SET sent_at = greatest(jobs_marker.sent_at, EXCLUDED.sent_at)
RETURNING sent_at,
    coalesce((SELECT coalesce(before.returned_sent_at >= before.sent_at, before.sent_at IS NULL) FROM before), true)
        AS is_coming_back
