-- Delete the keys of requests that are older than their lifetime, oldest first.
-- params: lifetime_hours, batch. locks: the rows. index: idempotencykey_created. rows: none, a count.
DELETE FROM jobs_idempotencykey WHERE id IN (
    SELECT id FROM jobs_idempotencykey
    WHERE created_at < statement_timestamp() - make_interval(hours => %(lifetime_hours)s)
    ORDER BY created_at LIMIT %(batch)s)
