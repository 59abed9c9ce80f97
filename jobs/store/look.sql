-- What there is to do, in one statement: an idle tick asks nothing else. What belongs to no shard is shown to the leader
-- of shard 0 alone.
-- params: shard; lease_seconds; lo, hi: range of scheduled_for for runs.
-- locks: none. index: cursor_due, cursor_plan, gap_uncounted, jobrun_leased, jobrun_start_by, jobrun_unannounced.
-- rows: one.
SELECT statement_timestamp() AS now,
       (SELECT min(next_run_at) FROM jobs_cursor WHERE shard = %(shard)s) AS next_due,
       EXISTS (SELECT FROM jobs_cursor WHERE shard = %(shard)s AND plan_needed) AS is_unplanned,
       %(shard)s = 0 AND EXISTS (SELECT FROM jobs_slotgap WHERE count IS NULL) AS is_uncounted,
       %(shard)s = 0 AND EXISTS (SELECT FROM jobs_jobrun
               WHERE locked_by IS NOT NULL AND scheduled_for BETWEEN %(lo)s::timestamptz AND %(hi)s::timestamptz
                 AND (locked_until < statement_timestamp()
                      OR locked_until > statement_timestamp() + 2 * %(lease_seconds)s * interval '1 second'))
           AS is_lease_lost,
       %(shard)s = 0 AND EXISTS (SELECT FROM jobs_jobrun
               WHERE start_by < statement_timestamp() AND locked_by IS NULL AND finished_at IS NULL
                 AND scheduled_for BETWEEN %(lo)s::timestamptz AND %(hi)s::timestamptz) AS is_missed,
       %(shard)s = 0 AND EXISTS (SELECT FROM jobs_jobrun
               WHERE webhook_id IS NOT NULL AND fanned_out_at IS NULL AND finished_at IS NOT NULL
                 AND scheduled_for BETWEEN %(lo)s::timestamptz AND %(hi)s::timestamptz) AS is_unannounced
