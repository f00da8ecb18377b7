-- Where the bring-in falls is luck of the door cards, so hands of a position are no fair sample of hands: position 0
-- holds high door cards. Compare entrants within a position, not positions of an entrant.
CREATE OR REPLACE VIEW by_position AS
SELECT p.run_id, l.structure, e.name AS entrant, p.position, sum(p.n_hands)::BIGINT AS hands,
       sum(p.n_played)::DOUBLE / hands AS played,
       100 * sum(p.net_chips)::DOUBLE / hands / any_value(l.big_bet_chips) AS bb100
FROM positions p
JOIN line_ups l USING (run_id, line_up)
JOIN entrants e ON (e.run_id, e.entrant) = (p.run_id, p.entrant)
GROUP BY p.run_id, l.structure, e.name, p.position
ORDER BY p.run_id, l.structure, entrant, p.position;
COMMENT ON VIEW by_position IS 'win rate of every entrant by place from the bring-in, over all line-ups';
COMMENT ON COLUMN by_position.position IS 'seats clockwise from the one that owed the bring-in: 0 = owed it, -1 = nobody owed it';
COMMENT ON COLUMN by_position.hands IS 'entrant-hands dealt there: one a copy';
COMMENT ON COLUMN by_position.played IS 'share of hands not folded on third street';
COMMENT ON COLUMN by_position.bb100 IS 'big bets won per 100 hands';
