-- End every term: each shard's row goes on to the next one, which nobody has won. Waits for emissions that are open.
-- params: none. locks: all rows of jobs_leader. touches: a row a shard that ever had a leader.
UPDATE jobs_leader SET term = term + 1, backend_pid = NULL
