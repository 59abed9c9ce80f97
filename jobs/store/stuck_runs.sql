-- Runs that wait for somebody who does not come, each number counted to 1,000 at most.
-- params: none. locks: none. index: jobrun_leased, jobrun_ready, jobrun_out (small; all partitions). rows: one.
SELECT (SELECT count(*) FROM (SELECT FROM jobs_jobrun WHERE locked_by IS NOT NULL
            AND locked_until < statement_timestamp() - interval '2 minutes' LIMIT 1000) AS runs) AS not_reaped,
       (SELECT count(*) FROM (SELECT FROM jobs_jobrun WHERE dispatched_at IS NULL AND finished_at IS NULL
            AND status = 'queued' AND run_after < statement_timestamp() - interval '5 minutes' LIMIT 1000) AS runs) AS not_sent,
       (SELECT count(*) FROM (SELECT FROM jobs_jobrun WHERE dispatched_at IS NOT NULL AND locked_by IS NULL
            AND finished_at IS NULL AND dispatched_at < statement_timestamp() - interval '15 minutes' LIMIT 1000) AS runs)
           AS not_claimed
