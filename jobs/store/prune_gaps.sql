-- Delete gaps that end before retention, oldest first.
-- params: before (timestamptz), batch. locks: the rows. index: gap_recent. rows: none, a count.
DELETE FROM jobs_slotgap WHERE id IN (
    SELECT id FROM jobs_slotgap WHERE until < %(before)s::timestamptz ORDER BY until LIMIT %(batch)s)
