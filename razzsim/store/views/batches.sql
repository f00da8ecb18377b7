-- Complete batches of each line-up's contiguous prefix: all that statistics may look at (long hands come back
-- late, so whatever arrived first is not a fair sample). end_group: the first deal after the batch.
CREATE OR REPLACE VIEW batches AS
SELECT g.run_id, g.line_up, l.structure, g.batch, g.entrant, g.n_groups, g.n_hands, g.n_nonzero, g.net_chips, g.net_sq,
       l.big_bet_chips, l.small_bet_chips, least((g.batch + 1) * r.batch_groups, r.deals) AS end_group
FROM group_sums g
JOIN line_ups l USING (run_id, line_up)
JOIN runs r USING (run_id)
WHERE end_group <= l.deals_done;
COMMENT ON VIEW batches IS 'complete batches of group_sums in the prefix that statistics look at';
COMMENT ON COLUMN batches.batch IS 'number of the batch';
COMMENT ON COLUMN batches.n_groups IS 'deals with all their seatings';
COMMENT ON COLUMN batches.n_hands IS 'entrant-hands: hands times copies';
COMMENT ON COLUMN batches.n_nonzero IS 'groups with other than 0 chips won';
COMMENT ON COLUMN batches.net_chips IS 'chips won';
COMMENT ON COLUMN batches.net_sq IS 'chips squared, summed over groups';
COMMENT ON COLUMN batches.end_group IS 'first deal after the batch';
