-- Third street has every hand: its rows hold the chips of whole hands. Like all views of counters this looks at all
-- that is committed, also where a running line-up is ahead of the others; standings does not.
CREATE OR REPLACE VIEW by_seat AS
SELECT b.run_id, l.structure, e.name AS entrant, b.seat, sum(b.n_seen)::BIGINT AS hands,
       100 * sum(b.net_chips)::DOUBLE / hands / any_value(l.big_bet_chips) AS bb100
FROM behaviour b
JOIN line_ups l USING (run_id, line_up)
JOIN entrants e ON (e.run_id, e.entrant) = (b.run_id, b.entrant)
WHERE b.street = 3
GROUP BY b.run_id, l.structure, e.name, b.seat
ORDER BY b.run_id, l.structure, entrant, b.seat;
COMMENT ON VIEW by_seat IS 'win rate of every entrant in every seat, over all line-ups';
COMMENT ON COLUMN by_seat.hands IS 'entrant-hands dealt there: one a copy';
COMMENT ON COLUMN by_seat.bb100 IS 'big bets won per 100 hands';
