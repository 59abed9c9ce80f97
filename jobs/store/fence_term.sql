-- Hold the shard's term until the transaction ends: a takeover, which changes it, waits.
-- params: shard, term. locks: the term's row, FOR KEY SHARE. index: jobs_leader_pkey.
-- rows: one while this very backend holds the term, else none.
SELECT term FROM jobs_leader
WHERE shard = %(shard)s AND term = %(term)s AND backend_pid = pg_backend_pid()
FOR KEY SHARE
