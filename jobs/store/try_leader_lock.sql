-- Try to take the shard's advisory lock for this session, without waiting.
-- params: space, shard. locks: the advisory lock. rows: one, (is_won, backend_pid).
SELECT pg_try_advisory_lock(%(space)s, %(shard)s) AS is_won, pg_backend_pid() AS backend_pid
