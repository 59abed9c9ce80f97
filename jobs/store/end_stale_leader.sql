-- End the backend that holds the shard's lock though its term was not renewed within the TTL. A backend that did
-- something lately is spared: it may have won just now and not have written its term yet.
-- params: space, shard, now (timestamptz), ttl_seconds. locks: none. rows: (pid, is_ended), at most one.
SELECT held.pid, pg_terminate_backend(held.pid, 2000) AS is_ended
FROM pg_locks AS held
LEFT JOIN pg_stat_activity AS activity ON activity.pid = held.pid
LEFT JOIN jobs_leader AS leader ON leader.shard = %(shard)s
WHERE held.locktype = 'advisory' AND held.granted
  AND held.database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND held.classid = %(space)s AND held.objid = %(shard)s AND held.objsubid = 2
  AND coalesce(greatest(leader.renewed_at, activity.state_change), '-infinity')
      < %(now)s::timestamptz - %(ttl_seconds)s * interval '1 second'
