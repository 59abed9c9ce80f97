-- Try to take the shard's advisory lock for this session, without waiting; never with another number of shards than is
-- written (1 where none is).
-- params: space, shard, shards. locks: the advisory lock. index: jobs_state_pkey. rows: one, (written: the number, is_won).
SELECT number.written,
       CASE WHEN number.written = %(shards)s THEN pg_try_advisory_lock(%(space)s, %(shard)s) ELSE false END AS is_won
FROM (
    SELECT coalesce((SELECT (value #>> '{}')::int FROM jobs_state WHERE key = 'shards'), 1) AS written
) AS number
