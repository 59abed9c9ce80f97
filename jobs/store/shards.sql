-- The shards' leaders, and when the longest due cursor of each was due. A ticking leader leaves none for long.
-- params: shards (how many). locks: none. index: jobs_leader_pkey, cursor_due. rows: one a shard, in order.
SELECT asked.shard, leader.term, leader.host, leader.elected_at, leader.ticked_at, statement_timestamp() AS now,
       (SELECT min(next_run_at) FROM jobs_cursor AS standing WHERE standing.shard = asked.shard) AS next_due
FROM generate_series(0, %(shards)s - 1) AS asked (shard)
LEFT JOIN jobs_leader AS leader ON leader.shard = asked.shard
ORDER BY asked.shard
