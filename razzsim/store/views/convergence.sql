-- How the estimate of standings came about: what it would have said after each batch of the common prefix, by the same
-- rules. Batch totals enter as sum(x^2 / n) - sum(x)^2 / sum(n), which grows along with the batches. Of more than 200
-- batches 200 are kept, evenly spread, the last among them. Windows run over floats and rows (ROWS, not the peers of a
-- RANGE), and what a batch has alone is added up before: half of the time at 60 entrants.
CREATE OR REPLACE VIEW convergence AS
WITH prefixes AS (
    SELECT run_id, structure, min(deals_done) AS deals_done
    FROM line_ups WHERE status <> 'stopped' GROUP BY run_id, structure
), seated AS (
    SELECT run_id, line_up, structure, unnest(list_distinct(l.entrants)) AS entrant, l.big_bet_chips,
           CASE WHEN p.deals_done < r.deals THEN p.deals_done // r.batch_groups
                ELSE (r.deals + r.batch_groups - 1) // r.batch_groups END AS n_complete
    FROM line_ups l
    JOIN prefixes p USING (run_id, structure)
    JOIN runs r USING (run_id)
    WHERE l.status <> 'stopped'
), places AS (
    SELECT *, count(*) OVER (PARTITION BY run_id, structure, entrant) AS n_line_ups FROM seated
), by_batch AS (
    SELECT run_id, structure, entrant, batch, any_value(p.big_bet_chips) AS big_bet_chips,
           any_value(p.n_complete) AS n_complete, any_value(g.n_groups) AS n_groups,
           sum(g.n_hands)::BIGINT AS n_hands, sum(g.net_chips)::DOUBLE AS net_chips
    FROM group_sums g JOIN places p USING (run_id, line_up, entrant)
    WHERE g.batch < p.n_complete
    GROUP BY run_id, structure, entrant, batch
), so_far AS (
    SELECT run_id, structure, entrant, batch, big_bet_chips, n_complete, batch + 1 AS n_batches,
           (sum(n_groups) OVER batches_so_far)::BIGINT AS deals, (sum(n_hands) OVER batches_so_far)::BIGINT AS hands,
           sum(net_chips) OVER batches_so_far AS net,
           sum(net_chips ^ 2 / n_groups) OVER batches_so_far AS sq, sq - net ^ 2 / deals AS spread,
           CASE WHEN spread > 1e-12 * sq THEN sqrt(spread / (n_batches - 1) * deals) ELSE 0 END AS batch_error
    FROM by_batch
    WINDOW batches_so_far AS (PARTITION BY run_id, structure, entrant ORDER BY batch ROWS UNBOUNDED PRECEDING)
), of_groups AS (  -- counts where there is one line-up, or as long as there are few batches
    SELECT run_id, structure, entrant, batch, line_up, sum(g.n_groups) OVER line_up_so_far AS n,
           sum(g.net_sq::DOUBLE) OVER line_up_so_far AS group_sq,
           group_sq - (sum(g.net_chips::DOUBLE) OVER line_up_so_far) ^ 2 / n AS group_spread
    FROM group_sums g JOIN places p USING (run_id, line_up, entrant)
    WHERE g.batch < CASE WHEN p.n_line_ups = 1 THEN p.n_complete ELSE least(p.n_complete, 31) END
    WINDOW line_up_so_far AS (PARTITION BY run_id, line_up, entrant ORDER BY batch ROWS UNBOUNDED PRECEDING)
), line_up_errors AS (
    SELECT run_id, structure, entrant, batch,
           sum(sqrt(CASE WHEN group_spread > 1e-12 * group_sq THEN group_spread / (n - 1) * n ELSE 0 END)
               ORDER BY line_up) AS line_up_error
    FROM of_groups GROUP BY run_id, structure, entrant, batch
), rated AS (
    SELECT s.*, net / hands AS chips_hand, nullif(coalesce(line_up_error, batch_error), 0) / hands AS se
    FROM so_far s LEFT JOIN line_up_errors USING (run_id, structure, entrant, batch)
    WHERE n_batches * 200 // n_complete > (n_batches - 1) * 200 // n_complete
)
SELECT run_id, structure, name AS entrant, deals, 100 * chips_hand / big_bet_chips AS bb100,
       100 * (chips_hand - 1.959963984540054 * se) / big_bet_chips AS lo_bb100,
       100 * (chips_hand + 1.959963984540054 * se) / big_bet_chips AS hi_bb100
FROM rated JOIN entrants USING (run_id, entrant)
ORDER BY run_id, structure, name, deals;
COMMENT ON VIEW convergence IS 'what standings would have said after each batch (200 at most): win rate and its 95% interval, big bets per 100 hands; the last row is standings';
COMMENT ON COLUMN convergence.deals IS 'deals of each line-up up to there';
COMMENT ON COLUMN convergence.bb100 IS 'big bets won per 100 hands';
COMMENT ON COLUMN convergence.lo_bb100 IS 'lower end of its 95% interval; NULL where nothing varied';
COMMENT ON COLUMN convergence.hi_bb100 IS 'upper end of its 95% interval';
