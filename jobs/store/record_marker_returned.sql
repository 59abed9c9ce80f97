-- A marker came back. One that was never sent (its time is ahead of the newest sent) counts for nothing.
-- params: queue, sent_at. locks: the queue's row. rows: number of rows changed.
UPDATE jobs_marker
SET returned_sent_at = greatest(returned_sent_at, %(sent_at)s::timestamptz), returned_at = clock_timestamp()
WHERE queue = %(queue)s AND sent_at >= %(sent_at)s::timestamptz
