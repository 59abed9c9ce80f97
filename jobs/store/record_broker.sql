-- How the dispatcher finds the broker, for others to read. ``since`` stays while the state does.
-- params: state; because; queues (a JSON object: of each queue that takes nothing, why).
-- locks: the fact's row, for this statement. index: jobs_state_pkey. touches: one row.
INSERT INTO jobs_state (key, value)
VALUES ('broker', jsonb_build_object(
    'state', %(state)s::text, 'because', %(because)s::text, 'queues', %(queues)s::jsonb,
    'since', clock_timestamp(), 'seen_at', clock_timestamp()))
ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value || CASE
    WHEN jobs_state.value -> 'state' = EXCLUDED.value -> 'state'
    THEN jsonb_build_object('since', jobs_state.value -> 'since') ELSE '{}' END
