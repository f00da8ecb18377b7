-- by_start_hand with the door card told apart: 1183 classes, which are the rows of start_hands. Shares come from a join
-- with the few totals: a window over all rows took half of the time.
CREATE OR REPLACE VIEW start_hands_by_door AS
WITH big_bets AS (
    SELECT run_id, structure, any_value(big_bet_chips) AS big_bet_chips FROM line_ups GROUP BY run_id, structure
), totals AS (
    SELECT run_id, structure, entrant, sum(n)::DOUBLE AS n_all FROM start_hands GROUP BY run_id, structure, entrant
)
SELECT run_id, structure, e.name AS entrant, s.class, c.door_label AS label, s.n, s.n / n_all AS share,
       s.n_played::DOUBLE / s.n AS played, 100 * s.net_chips::DOUBLE / s.n / big_bet_chips AS bb100
FROM start_hands s
JOIN totals USING (run_id, structure, entrant)
JOIN start_classes c ON c.door_class = s.class
JOIN entrants e USING (run_id, entrant)
JOIN big_bets USING (run_id, structure)
ORDER BY run_id, structure, entrant, s.class;
COMMENT ON VIEW start_hands_by_door IS 'win rate of every entrant by its first three cards: (downcards)door card';
COMMENT ON COLUMN start_hands_by_door.class IS 'number of the class: see start_classes';
COMMENT ON COLUMN start_hands_by_door.n IS 'entrant-hands dealt';
COMMENT ON COLUMN start_hands_by_door.share IS 'share of the entrant''s hands';
COMMENT ON COLUMN start_hands_by_door.played IS 'share of n not folded on third street';
COMMENT ON COLUMN start_hands_by_door.bb100 IS 'big bets won per 100 hands of the class; without an interval, because its hands are no independent sample';
