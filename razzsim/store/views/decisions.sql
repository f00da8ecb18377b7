-- The bring-in is the first decision after those that passed it on, and only folds can come before it.
CREATE OR REPLACE VIEW decisions AS
SELECT a.* REPLACE (e.name AS entrant, CASE
           WHEN a.action = 0 THEN 'fold'
           WHEN a.action = 1 AND a.street = 3 AND a.n = len(l.entrants) - bit_count(a.live_mask) THEN 'bring_in'
           WHEN a.action = 1 AND a.amount_chips = 0 THEN 'check'
           WHEN a.action = 1 THEN 'call'
           WHEN a.n_bets > 0 THEN 'raise'
           WHEN a.street = 3 THEN 'complete'
           ELSE 'bet' END AS action)
FROM actions a
JOIN line_ups l USING (run_id, line_up)
JOIN entrants e ON e.run_id = a.run_id AND e.entrant = a.entrant;
COMMENT ON VIEW decisions IS 'actions with words: one row a decision, in no order (level actions)';
COMMENT ON COLUMN decisions.entrant IS 'name of the entrant';
COMMENT ON COLUMN decisions.action IS 'fold, check, call, bet, complete, raise or bring_in';
COMMENT ON COLUMN decisions.amount_chips IS 'chips it put in';
COMMENT ON COLUMN decisions.to_chips IS 'chips of the seat in this street after it';
COMMENT ON COLUMN decisions.pot_chips IS 'chips in the pot before it';
COMMENT ON COLUMN decisions.n_bets IS 'full bets of the street before it';
COMMENT ON COLUMN decisions.live_mask IS 'seats that had not folded, bit 0 = seat 0';
COMMENT ON COLUMN decisions.n IS 'number of the decision in the hand, from 0';
