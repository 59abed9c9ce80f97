-- Delete dead letters that were disposed of before retention, oldest first; kept ones stay for ever.
-- params: before (timestamptz), batch. locks: the rows. index: deadletter_disposed_at. rows: none, a count.
DELETE FROM jobs_deadletter WHERE id IN (
    SELECT id FROM jobs_deadletter WHERE disposed_at < %(before)s::timestamptz ORDER BY disposed_at LIMIT %(batch)s)
