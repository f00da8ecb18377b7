-- Every entrant against every rival it shared a table with. The difference is paired inside the group, so its error
-- uses the cross products; with h copies-times-rotations of a and k of b the group difference is k x_a - h x_b.
CREATE OR REPLACE VIEW head_to_head AS
WITH pairs AS (
    SELECT run_id, line_up, batch, entrant_a AS a, entrant_b AS b, net_net FROM group_cross
    UNION ALL
    SELECT run_id, line_up, batch, entrant_b, entrant_a, net_net FROM group_cross
), summed AS (
    SELECT p.run_id, p.line_up, x.structure, p.a, p.b, any_value(x.big_bet_chips) AS big_bet_chips,
           sum(x.n_groups)::BIGINT AS groups, sum(x.n_hands)::BIGINT AS hands, sum(y.n_hands)::BIGINT AS rival_hands,
           sum(x.net_chips)::HUGEINT AS net, sum(y.net_chips)::HUGEINT AS rival_net,
           sum(x.net_sq)::HUGEINT AS sq, sum(y.net_sq)::HUGEINT AS rival_sq, sum(p.net_net)::HUGEINT AS net_net
    FROM pairs p
    JOIN batches x ON (x.run_id, x.line_up, x.batch, x.entrant) = (p.run_id, p.line_up, p.batch, p.a)
    JOIN batches y ON (y.run_id, y.line_up, y.batch, y.entrant) = (p.run_id, p.line_up, p.batch, p.b)
    GROUP BY ALL
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
