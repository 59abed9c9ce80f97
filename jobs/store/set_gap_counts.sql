-- Write what was counted. The caller holds the gaps' locks.
-- params: parallel arrays. locks: gap rows. index: jobs_slotgap_pkey. touches: each gap named.
UPDATE jobs_slotgap AS gap
SET count = counted.count, is_capped = counted.is_capped
FROM unnest((SELECT %(id)s::bigint[]), (SELECT %(count)s::int[]), (SELECT %(is_capped)s::boolean[]))
    AS counted (id, count, is_capped)
WHERE gap.id = counted.id
