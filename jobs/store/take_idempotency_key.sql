-- Take a request's key: insert it, or take over one whose lifetime is over.
-- params: owner, key, fingerprint, lifetime_hours; patience: how long to wait for a lock until the transaction ends.
-- locks: waits for a transaction that inserts the same key. index: idempotencykey_once.
-- rows: one when the key is this request's, none when another has it.
INSERT INTO jobs_idempotencykey AS kept (owner, key, fingerprint, status, headers, body)
SELECT %(owner)s, %(key)s, %(fingerprint)s, 0, '{}', NULL FROM set_config('lock_timeout', %(patience)s, true)
ON CONFLICT (owner, key) DO UPDATE
    SET fingerprint = excluded.fingerprint, status = 0, headers = '{}', body = NULL, created_at = statement_timestamp()
    WHERE kept.created_at < statement_timestamp() - make_interval(hours => %(lifetime_hours)s)
RETURNING 1 AS taken;
