-- The 455 classes of three ranks, whichever is the door card. No interval: the hands of a class are no independent
-- sample (the seatings of a deal give the same three cards to every seat, and only groups are independent).
CREATE OR REPLACE VIEW by_start_hand AS
WITH big_bets AS (
    SELECT run_id, structure, any_value(big_bet_chips) AS big_bet_chips FROM line_ups GROUP BY run_id, structure
), totals AS (
    SELECT run_id, structure, entrant, sum(n)::DOUBLE AS n_all FROM start_hands GROUP BY run_id, structure, entrant
), summed AS (
    SELECT s.run_id, s.structure, s.entrant, c.class, any_value(c.label) AS label, sum(s.n)::BIGINT AS n,
           sum(s.n_played)::DOUBLE / sum(s.n) AS played, 100 * sum(s.net_chips)::DOUBLE / sum(s.n) AS chips_100
    FROM start_hands s JOIN start_classes c ON c.door_class = s.class
    GROUP BY s.run_id, s.structure, s.entrant, c.class
)
SELECT run_id, structure, e.name AS entrant, class, label, n, n / n_all AS share, played,
       chips_100 / big_bet_chips AS bb100
FROM summed
JOIN totals USING (run_id, structure, entrant)
JOIN entrants e USING (run_id, entrant)
JOIN big_bets USING (run_id, structure)
ORDER BY run_id, structure, e.name, class;
COMMENT ON VIEW by_start_hand IS 'win rate of every entrant by the ranks of its first three cards, ace first';
COMMENT ON COLUMN by_start_hand.class IS 'number of the class: see start_classes';
COMMENT ON COLUMN by_start_hand.n IS 'entrant-hands dealt';
COMMENT ON COLUMN by_start_hand.share IS 'share of the entrant''s hands';
COMMENT ON COLUMN by_start_hand.played IS 'share of n not folded on third street';
COMMENT ON COLUMN by_start_hand.bb100 IS 'big bets won per 100 hands of the class; without an interval, because its hands are no independent sample';
