-- Renew the term, provided that this very backend holds the shard's advisory lock (behind a pooler it would not).
-- params: space, shard, term. locks: the term's row. index: jobs_leader_pkey. touches: one row, or none when lost.
UPDATE jobs_leader
SET renewed_at = clock_timestamp(), ticked_at = clock_timestamp()
WHERE shard = %(shard)s AND term = %(term)s AND backend_pid = pg_backend_pid()
  AND EXISTS (
      SELECT FROM pg_locks
      WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND classid = %(space)s AND objid = %(shard)s AND objsubid = 2)
