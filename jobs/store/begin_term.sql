-- Begin the shard's next term; waits for emissions still open under the old one.
-- params: shard, holder (uuid), host. locks: the term's row. index: jobs_leader_pkey. rows: the new term.
INSERT INTO jobs_leader AS leader (shard, term, holder, host, backend_pid, elected_at, renewed_at)
VALUES (%(shard)s, 1, %(holder)s, %(host)s, pg_backend_pid(), clock_timestamp(), clock_timestamp())
ON CONFLICT (shard) DO UPDATE
SET term = leader.term + 1, holder = excluded.holder, host = excluded.host, backend_pid = excluded.backend_pid,
    elected_at = excluded.elected_at, renewed_at = excluded.renewed_at
RETURNING term
