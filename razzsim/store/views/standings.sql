-- One row an entrant: its win rate over its line-ups of a structure, on the batches that all of them have (line-ups
-- stopped by a failing strategy left out). Line-ups share their deals, so over several of them the error comes from
-- the batch totals (at least 32 batches), else from the sum of the line-ups' own errors, which is enough however
-- they are correlated. One line-up: from its deal groups.
CREATE OR REPLACE VIEW standings AS
WITH by_batch AS (
    SELECT run_id, structure, entrant, batch, count(*) AS n_line_ups, any_value(b.n_groups) AS n_groups,
           sum(n_hands)::BIGINT AS hands, sum(net_chips)::HUGEINT AS net_chips,
           any_value(b.big_bet_chips) AS big_bet_chips, any_value(b.small_bet_chips) AS small_bet_chips
    FROM batches b JOIN line_ups l USING (run_id, line_up, structure)
    WHERE l.status <> 'stopped'
    GROUP BY run_id, structure, entrant, batch
), common AS (
    SELECT * FROM by_batch
    QUALIFY n_line_ups = max(n_line_ups) OVER (PARTITION BY run_id, structure, entrant)
), totals AS (
    SELECT run_id, structure, entrant, any_value(n_line_ups) AS n_line_ups, count(*) AS n_batches,
           sum(n_groups)::BIGINT AS groups, sum(hands)::BIGINT AS hands, sum(net_chips)::HUGEINT AS net_chips,
           any_value(big_bet_chips) AS big_bet_chips, any_value(small_bet_chips) AS small_bet_chips
    FROM common GROUP BY run_id, structure, entrant
), batch_errors AS (
    SELECT run_id, structure, entrant,
           sqrt(sum((c.net_chips - c.n_groups * t.net_chips::DOUBLE / t.groups) ^ 2 / c.n_groups ORDER BY batch)
                / (any_value(t.n_batches) - 1) / any_value(t.groups)) * any_value(t.groups) / any_value(t.hands) AS se
    FROM common c JOIN totals t USING (run_id, structure, entrant)
    WHERE t.n_batches >= 32 AND t.n_line_ups > 1
    GROUP BY run_id, structure, entrant
), group_errors AS (
    SELECT run_id, structure, entrant, sum(se_chips_hand * r.hands ORDER BY line_up) / sum(r.hands) AS se
    FROM line_up_results r JOIN line_ups l USING (run_id, line_up, structure)
    WHERE l.status <> 'stopped'
    GROUP BY run_id, structure, entrant
), rated AS (
    SELECT t.*, net_chips::DOUBLE / hands AS chips_hand, nullif(coalesce(b.se, g.se), 0) AS se
    FROM totals t
    LEFT JOIN batch_errors b USING (run_id, structure, entrant)
    LEFT JOIN group_errors g USING (run_id, structure, entrant)
)
SELECT run_id, structure, rank() OVER (PARTITION BY run_id, structure ORDER BY chips_hand DESC) AS rank,
       name AS entrant, hands, groups,
       100 * chips_hand / big_bet_chips AS bb100,
       100 * se / big_bet_chips AS se_bb100,
       100 * (chips_hand - 1.959963984540054 * se) / big_bet_chips AS lo_bb100,
       100 * (chips_hand + 1.959963984540054 * se) / big_bet_chips AS hi_bb100,
       chips_hand / small_bet_chips AS sb_hand, net_chips
FROM rated JOIN entrants USING (run_id, entrant)
ORDER BY run_id, structure, rank, name;
