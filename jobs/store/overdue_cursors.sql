-- Cursors that are due for long and still not emitted: someone holds their lock.
-- params: shard, due_before (timestamptz), limit. locks: none. index: cursor_due.
-- rows: (job_id, name, next_run_at), earliest first.
SELECT cursor.job_id, job.name, cursor.next_run_at
FROM jobs_cursor AS cursor JOIN jobs_job AS job ON job.id = cursor.job_id
WHERE cursor.shard = %(shard)s AND cursor.next_run_at < %(due_before)s
ORDER BY cursor.next_run_at
LIMIT %(limit)s
