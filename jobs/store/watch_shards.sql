-- Who leads each shard, for a beat that takes its share of them. A beat that is here holds the lock of its number of
-- shards, shared with others of that number, and has asked this within so many seconds.
-- params: space, beats_space, shards, ttl_seconds, present_seconds. locks: none. index: jobs_leader_pkey, jobs_state_pkey.
-- rows: one a shard, in order: (shard; is_held; holder: NULL where none is, or its term is not written yet; is_silent:
-- its term was not renewed within the TTL; beats: how many are here; written: the number of shards as written; now).
WITH held AS MATERIALIZED (
    SELECT classid, objid, pid FROM pg_locks
    WHERE locktype = 'advisory' AND granted AND objsubid = 2
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
)
SELECT asked.shard, lock.pid IS NOT NULL AS is_held, leader.holder,
       coalesce(leader.renewed_at, '-infinity') < clock_timestamp() - %(ttl_seconds)s * interval '1 second' AS is_silent,
       (SELECT count(*) FROM held JOIN pg_stat_activity AS activity USING (pid)
        WHERE held.classid = %(beats_space)s AND held.objid = %(shards)s
          AND activity.state_change > clock_timestamp() - %(present_seconds)s * interval '1 second') AS beats,
       coalesce((SELECT (value #>> '{}')::int FROM jobs_state WHERE key = 'shards'), 1) AS written,
       statement_timestamp() AS now
FROM generate_series(0, %(shards)s - 1) AS asked (shard)
LEFT JOIN held AS lock ON lock.classid = %(space)s AND lock.objid = asked.shard
LEFT JOIN jobs_leader AS leader ON leader.shard = asked.shard AND leader.backend_pid = lock.pid
ORDER BY asked.shard
