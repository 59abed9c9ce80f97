-- What the server says of itself that matters here. params: none. locks: none. rows: one.
SELECT current_setting('server_version_num')::int AS version_number,
       current_setting('jit')::boolean AS has_jit,
       current_setting('fsync')::boolean AS has_fsync,
       current_setting('synchronous_commit') AS synchronous_commit,
       current_setting('synchronous_standby_names') AS synchronous_standbys,
       current_setting('default_transaction_isolation') AS isolation,
       (SELECT count(*) FROM pg_stat_replication) AS standbys
