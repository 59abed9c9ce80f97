-- The planning trigger: every real change of a schedule, by whatever path, makes the leader plan anew.

-- The instant of a change. Tests set it, as they set the times that statements compare with.
CREATE FUNCTION jobs_now() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
    SELECT coalesce(nullif(current_setting('beatkeeper.now', true), '')::timestamptz, clock_timestamp())
$$;

-- A new job gets its cursor. A statement trigger: a million rows are created without planning each.
CREATE FUNCTION jobs_job_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO jobs_cursor (job_id, shard, plan_from, plan_needed)
    SELECT id, id % coalesce((SELECT (value #>> '{}')::int FROM jobs_state WHERE key = 'shards'), 1),
           jobs_now(), true
    FROM inserted ORDER BY id;
    PERFORM pg_notify('jobs_wake', '');
    RETURN NULL;
END $$;
CREATE TRIGGER jobs_job_inserted AFTER INSERT ON jobs_job
    REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION jobs_job_inserted();

-- The version counts real changes; what a writer puts there is ignored.
CREATE FUNCTION jobs_job_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.version := OLD.version;
    NEW.updated_at := OLD.updated_at;
    IF NEW IS DISTINCT FROM OLD THEN
        NEW.version := OLD.version + 1;
        NEW.updated_at := clock_timestamp();
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER jobs_job_version BEFORE UPDATE ON jobs_job FOR EACH ROW EXECUTE FUNCTION jobs_job_version();

-- A schedule changed. The cursor's lock comes first and the instant is read after it, so an emission that holds
-- the cursor is over: each slot up to that instant is in a run, or in the gap recorded here.
CREATE FUNCTION jobs_job_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    held jobs_cursor;
    changed_at timestamptz;
    accounted timestamptz;
    was_paused boolean;
    was_active boolean;
BEGIN
    SELECT * INTO held FROM jobs_cursor WHERE job_id = NEW.id FOR NO KEY UPDATE;
    changed_at := jobs_now();
    accounted := greatest(held.plan_from, held.last_slot);
    was_paused := OLD.paused AND (OLD.paused_until IS NULL OR OLD.paused_until > changed_at);
    was_active := OLD.enabled AND OLD.archived_at IS NULL AND NOT was_paused AND held.error = '';

    INSERT INTO jobs_jobversion (job_id, version, definition, valid_from, valid_to)
    VALUES (OLD.id, OLD.version, to_jsonb(OLD), held.plan_from, changed_at)
    ON CONFLICT (job_id, version) DO NOTHING;

    -- A pause that ended by itself, with no emission since: its slots and those after it have reasons of their own.
    IF OLD.kind <> 'manual' AND OLD.enabled AND OLD.archived_at IS NULL
       AND OLD.paused AND OLD.paused_until > accounted AND OLD.paused_until <= changed_at THEN
        INSERT INTO jobs_slotgap (job_id, after, until, reason, version)
        VALUES (OLD.id, accounted, OLD.paused_until, 'paused', OLD.version);
        accounted := OLD.paused_until;
    END IF;

    IF OLD.kind <> 'manual' AND accounted < changed_at
       AND NOT (was_active AND NOT held.plan_needed AND coalesce(held.next_run_at > changed_at, true)) THEN
        INSERT INTO jobs_slotgap (job_id, after, until, reason, version)
        VALUES (OLD.id, accounted, changed_at,
                CASE WHEN NOT OLD.enabled OR OLD.archived_at IS NOT NULL THEN 'disabled'
                     WHEN was_paused THEN 'paused'
                     WHEN held.error <> '' THEN 'invalid'
                     ELSE 'edited' END,
                OLD.version);
    END IF;

    UPDATE jobs_cursor
    SET next_run_at = NULL, plan_needed = true, plan_from = changed_at, error = '', error_at = NULL
    WHERE job_id = NEW.id;
    PERFORM pg_notify('jobs_wake', '');
    RETURN NULL;
END $$;
CREATE TRIGGER jobs_job_changed AFTER UPDATE ON jobs_job FOR EACH ROW
    WHEN ((OLD.kind, OLD.cron, OLD.interval_seconds, OLD.anchor_at, OLD.calendar_every, OLD.calendar_unit,
           OLD.anchor_date, OLD.wall_time, OLD.once_at, OLD.timezone, OLD.start_at, OLD.end_at,
           OLD.enabled, OLD.paused, OLD.paused_until, OLD.archived_at)
          IS DISTINCT FROM
          (NEW.kind, NEW.cron, NEW.interval_seconds, NEW.anchor_at, NEW.calendar_every, NEW.calendar_unit,
           NEW.anchor_date, NEW.wall_time, NEW.once_at, NEW.timezone, NEW.start_at, NEW.end_at,
           NEW.enabled, NEW.paused, NEW.paused_until, NEW.archived_at))
    EXECUTE FUNCTION jobs_job_changed();

-- Whether runs of a job exclude each other changed: its unfinished runs follow, or forbid and replace would not see them.
-- The cursor's lock comes first, so that what an emission has just inserted is seen by the next statement.
CREATE FUNCTION jobs_job_policy_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    is_exclusive boolean := NEW.concurrency_policy <> 'allow';
BEGIN
    PERFORM FROM jobs_cursor WHERE job_id = NEW.id FOR NO KEY UPDATE;
    WITH unfinished AS MATERIALIZED (
        SELECT job_id, scheduled_for FROM jobs_jobrun
        WHERE job_id = NEW.id AND finished_at IS NULL AND exclusive <> is_exclusive
        ORDER BY scheduled_for
        FOR NO KEY UPDATE
    )
    UPDATE jobs_jobrun AS run SET exclusive = is_exclusive
    FROM unfinished
    WHERE run.job_id = unfinished.job_id AND run.scheduled_for = unfinished.scheduled_for;
    RETURN NULL;
END $$;
CREATE TRIGGER jobs_job_policy_changed AFTER UPDATE OF concurrency_policy ON jobs_job FOR EACH ROW
    WHEN ((OLD.concurrency_policy = 'allow') IS DISTINCT FROM (NEW.concurrency_policy = 'allow'))
    EXECUTE FUNCTION jobs_job_policy_changed();

-- The cursor only grows (I2), whoever writes.
CREATE FUNCTION jobs_cursor_grows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.last_slot := OLD.last_slot;
    RETURN NEW;
END $$;
CREATE TRIGGER jobs_cursor_grows BEFORE UPDATE OF last_slot ON jobs_cursor FOR EACH ROW
    WHEN (NEW.last_slot < OLD.last_slot OR (NEW.last_slot IS NULL AND OLD.last_slot IS NOT NULL))
    EXECUTE FUNCTION jobs_cursor_grows();


-- Of what shape a job's JSON is. Celery spreads a text or an object given as arguments without a word.
ALTER TABLE jobs_job ADD CONSTRAINT job_json_shapes CHECK (
    jsonb_typeof(args) = 'array' AND jsonb_typeof(kwargs) = 'object'
    AND jsonb_typeof(labels) = 'object' AND jsonb_typeof(headers) = 'object');
