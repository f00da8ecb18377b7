-- Every entrant against every rival it shared a table with. The difference is paired inside the group, so its error
-- uses the cross products; with h copies-times-rotations of a and k of b the group difference is k x_a - h x_b.
CREATE OR REPLACE VIEW head_to_head AS
WITH complete AS (
    SELECT run_id, line_up, structure, l.big_bet_chips, l.deals_done, r.deals, r.batch_groups
    FROM line_ups l JOIN runs r USING (run_id)
), sums AS (
    SELECT run_id, line_up, entrant, sum(n_groups)::BIGINT AS groups, sum(n_hands)::BIGINT AS hands,
           sum(net_chips)::HUGEINT AS net, sum(net_sq)::HUGEINT AS sq
    FROM batches GROUP BY run_id, line_up, entrant
), products AS (
    SELECT run_id, line_up, entrant_a, entrant_b, any_value(structure) AS structure,
           any_value(big_bet_chips) AS big_bet_chips, sum(net_net)::HUGEINT AS net_net
    FROM group_cross JOIN complete USING (run_id, line_up)
    WHERE least((batch + 1) * batch_groups, deals) <= deals_done  -- as in batches
    GROUP BY run_id, line_up, entrant_a, entrant_b
), pairs AS (
    SELECT * RENAME (entrant_a AS a, entrant_b AS b) FROM products
    UNION ALL BY NAME
    SELECT * RENAME (entrant_a AS b, entrant_b AS a) FROM products
), summed AS (
    SELECT p.*, x.groups, x.hands, y.hands AS rival_hands, x.net, y.net AS rival_net, x.sq, y.sq AS rival_sq
    FROM pairs p
    JOIN sums x ON (x.run_id, x.line_up, x.entrant) = (p.run_id, p.line_up, p.a)
    JOIN sums y ON (y.run_id, y.line_up, y.entrant) = (p.run_id, p.line_up, p.b)
), weighted AS (
    SELECT *, hands // groups // gcd(hands // groups, rival_hands // groups) AS h,
              rival_hands // groups // gcd(hands // groups, rival_hands // groups) AS k
    FROM summed
), differences AS (
    SELECT *, k * net - h * rival_net AS diff, (k * k * sq + h * h * rival_sq - 2 * h * k * net_net)::DOUBLE AS diff_sq,
              k * hands AS scale  -- diff / scale: chips a hand
    FROM weighted
), spreads AS (
    SELECT *, diff_sq - diff::DOUBLE * diff::DOUBLE / groups AS spread FROM differences
), rated AS (
    SELECT *, diff::DOUBLE / scale AS chips_hand,
           CASE WHEN groups > 1 AND spread > 1e-12 * diff_sq THEN sqrt(spread / (groups - 1) / groups) * groups / scale END AS se
    FROM spreads
)
SELECT r.run_id, structure, ea.name AS entrant, eb.name AS rival, hands, groups,
       100 * net::DOUBLE / hands / big_bet_chips AS bb100,
       100 * chips_hand / big_bet_chips AS diff_bb100,
       100 * se / big_bet_chips AS se_bb100,
       100 * (chips_hand - 1.959963984540054 * se) / big_bet_chips AS lo_bb100,
       100 * (chips_hand + 1.959963984540054 * se) / big_bet_chips AS hi_bb100
FROM rated r
JOIN entrants ea ON (ea.run_id, ea.entrant) = (r.run_id, r.a)
JOIN entrants eb ON (eb.run_id, eb.entrant) = (r.run_id, r.b)
ORDER BY r.run_id, structure, entrant, rival;
COMMENT ON VIEW head_to_head IS 'every entrant against every rival of its tables; se, lo and hi belong to diff_bb100, the difference on the same deals (two seats: twice bb100)';
COMMENT ON COLUMN head_to_head.hands IS 'hands of the entrant at tables with the rival, one a copy';
COMMENT ON COLUMN head_to_head.groups IS 'deals with all their seatings';
COMMENT ON COLUMN head_to_head.bb100 IS 'big bets won per 100 hands of the entrant';
COMMENT ON COLUMN head_to_head.diff_bb100 IS 'the entrant''s less the rival''s, on the same deals';
COMMENT ON COLUMN head_to_head.se_bb100 IS 'standard error of diff_bb100; NULL where nothing varied';
COMMENT ON COLUMN head_to_head.lo_bb100 IS 'lower end of the 95% interval of diff_bb100';
COMMENT ON COLUMN head_to_head.hi_bb100 IS 'upper end of the 95% interval of diff_bb100';
