-- Win rate of every entrant in every line-up. The group is the sample: variance of the group results, never of hands.
-- (n Q - S^2) is taken from exact integer sums; a variance lost in rounding or truly 0 has no standard error (NULL).
CREATE OR REPLACE VIEW line_up_results AS
WITH sums AS (
    SELECT run_id, line_up, structure, entrant, any_value(big_bet_chips) AS big_bet_chips,
           any_value(small_bet_chips) AS small_bet_chips,
           sum(n_groups)::BIGINT AS groups, sum(n_hands)::BIGINT AS hands,
           sum(net_chips)::HUGEINT AS net_chips, sum(net_sq)::HUGEINT AS net_sq
    FROM batches
    GROUP BY ALL
)
SELECT run_id, line_up, structure, entrant, big_bet_chips, small_bet_chips, hands, groups, net_chips,
       net_chips::DOUBLE / hands AS chips_hand,
       CASE WHEN groups > 1 AND spread > 1e-12 * net_sq THEN sqrt(spread / (groups - 1) / groups) * groups / hands END AS se_chips_hand
FROM (SELECT *, net_sq::DOUBLE - net_chips::DOUBLE * net_chips::DOUBLE / groups AS spread FROM sums);
