-- Claim runs for a worker: only a queued run whose token is its message's and whose time has come is won.
-- Every other row says why not; what was early, waiting or too late is changed accordingly.
-- params: parallel arrays job_ids, slots, tokens (the messages'), waits (NULL: not known whether the run it replaces
--   still runs); worker uuid; lease_seconds; lo, hi: the range of the slots; now: NULL or the time to compare with;
--   in_doubt: whether these were asked for before, by this worker, and the answer was lost.
-- locks: the runs, FOR NO KEY UPDATE in key order; waits, since a dispatcher's uncommitted mark hides nothing but
--   a skipped row would lose the message. index: jobrun_slot, a probe a run as in settle.sql.
-- rows: one a run that exists: its key and answer (claimed, mine, early, waiting, missed, look, stale, running,
--   ended), the new token, and what the worker must know of the job. mine: in doubt, and claimed by that first asking;
--   its lease is renewed.
WITH asked AS (
    SELECT job_id, scheduled_for, max(token) AS token, bool_or(waits) AS waits
    FROM unnest((SELECT %(job_ids)s::bigint[]), (SELECT %(slots)s::timestamptz[]), (SELECT %(tokens)s::int[]),
                (SELECT %(waits)s::boolean[]))
        AS message (job_id, scheduled_for, token, waits)
    GROUP BY job_id, scheduled_for
), held AS MATERIALIZED (
    SELECT run.job_id, run.scheduled_for, run.status, run.token, run.run_after, run.start_by, run.replaces,
           run.attempts, run.max_attempts, run.losses, asked.token AS published, asked.waits,
           %(in_doubt)s::boolean AND run.token = asked.token + 1 AND run.locked_by = %(worker)s::uuid AS mine
    FROM (SELECT * FROM asked ORDER BY job_id, scheduled_for) AS asked
    CROSS JOIN LATERAL (
        SELECT * FROM jobs_jobrun AS run
        WHERE run.job_id = asked.job_id AND run.scheduled_for = asked.scheduled_for
          AND run.scheduled_for BETWEEN %(lo)s::timestamptz AND %(hi)s::timestamptz
        FOR NO KEY UPDATE
    ) AS run
), judged AS (
    SELECT held.*, job.name, job.endpoint_id IS NOT NULL AS calls, job.delivery, job.concurrency_policy, job.backoff_kind, job.backoff_base_seconds,
           job.backoff_cap_seconds, job.jitter, clock.now,
           job.delivery = 'at_most_once' OR held.losses > 0 AS counts,
           CASE WHEN held.status = 'running' AND held.mine THEN 'mine'
                WHEN held.status = 'running' THEN 'running'
                WHEN held.status <> 'queued' THEN 'ended'
                WHEN held.token <> held.published THEN 'stale'
                WHEN held.run_after > clock.now THEN 'early'
                WHEN held.start_by < clock.now THEN 'missed'
                WHEN held.replaces IS NOT NULL AND held.waits IS NULL THEN 'look'
                WHEN held.waits THEN 'waiting'
                ELSE 'claimed' END AS answer
    FROM held JOIN jobs_job job ON job.id = held.job_id,
         (SELECT coalesce(%(now)s::timestamptz, statement_timestamp()) AS now) AS clock
), changed AS (
    UPDATE jobs_jobrun run
    SET status = CASE WHEN judged.answer IN ('claimed', 'mine') THEN 'running'
                      WHEN judged.answer = 'missed' THEN 'missed' ELSE 'queued' END,
        -- Put off counts too: the mark of the message that came too early must find nothing to mark.
        token = run.token + (judged.answer IN ('claimed', 'early', 'waiting'))::int,
        locked_by = CASE WHEN judged.answer IN ('claimed', 'mine') THEN %(worker)s::uuid END,
        locked_until = CASE WHEN judged.answer IN ('claimed', 'mine')
                            THEN clock_timestamp() + %(lease_seconds)s * interval '1 second' END,
        attempts = run.attempts + (judged.answer = 'claimed' AND judged.counts)::int,
        dispatched_at = CASE WHEN judged.answer IN ('claimed', 'mine', 'missed')
                             THEN coalesce(run.dispatched_at, clock_timestamp()) END,
        run_after = CASE WHEN judged.answer IN ('early', 'waiting')
                         THEN greatest(run.run_after, judged.now + interval '1 second') ELSE run.run_after END,
        finished_at = CASE WHEN judged.answer = 'missed' THEN clock_timestamp() END,
        last_error = CASE WHEN judged.answer = 'missed' THEN 'Not started by its deadline.' ELSE run.last_error END
    FROM judged
    WHERE run.job_id = judged.job_id AND run.scheduled_for = judged.scheduled_for
      AND run.scheduled_for BETWEEN %(lo)s::timestamptz AND %(hi)s::timestamptz
      AND judged.answer IN ('claimed', 'mine', 'early', 'waiting', 'missed')
)
SELECT job_id, (extract(epoch FROM scheduled_for) * 1000000)::bigint AS slot_us, answer, published,
       token + (answer = 'claimed')::int AS token, attempts + (answer <> 'mine' OR NOT counts)::int AS attempt,
       counts, max_attempts, replaces, extract(epoch FROM start_by - now)::float8 AS start_within, name, calls, delivery,
       concurrency_policy, backoff_kind, backoff_base_seconds, backoff_cap_seconds, jitter
FROM judged
