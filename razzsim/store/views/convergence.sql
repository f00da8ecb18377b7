-- How the estimate of standings came about: what it would have said after each batch of the common prefix, by the same
-- rules. Batch totals enter as sum(x^2 / n) - sum(x)^2 / sum(n), which grows along with the batches. Of more than 200
-- batches 200 are kept, evenly spread, the last among them.
CREATE OR REPLACE VIEW convergence AS
WITH prefixes AS (
    SELECT run_id, structure, min(deals_done) AS deals_done
    FROM line_ups WHERE status <> 'stopped' GROUP BY run_id, structure
), common AS (
    SELECT b.*
    FROM batches b
    JOIN line_ups l USING (run_id, line_up)
    JOIN prefixes p ON (p.run_id, p.structure) = (b.run_id, b.structure)
    WHERE l.status <> 'stopped' AND b.end_group <= p.deals_done
), by_batch AS (
    SELECT run_id, structure, entrant, batch, any_value(big_bet_chips) AS big_bet_chips, count(*) AS n_line_ups,
           any_value(n_groups) AS n_groups, sum(n_hands)::BIGINT AS n_hands, sum(net_chips)::HUGEINT AS net_chips
    FROM common GROUP BY run_id, structure, entrant, batch
), so_far AS (
    SELECT run_id, structure, entrant, batch, big_bet_chips, n_line_ups, row_number() OVER batches_so_far AS n_batches,
           (sum(n_groups) OVER batches_so_far)::BIGINT AS deals, (sum(n_hands) OVER batches_so_far)::BIGINT AS hands,
           sum(net_chips) OVER batches_so_far AS net_so_far,
           sum(net_chips::DOUBLE ^ 2 / n_groups) OVER batches_so_far AS sq, sq - net_so_far::DOUBLE ^ 2 / deals AS spread,
           CASE WHEN spread > 1e-12 * sq THEN sqrt(spread / (n_batches - 1) * deals) ELSE 0 END AS batch_error
    FROM by_batch
    WINDOW batches_so_far AS (PARTITION BY run_id, structure, entrant ORDER BY batch)
    QUALIFY n_batches * 200 // count(*) OVER (PARTITION BY run_id, structure, entrant)
            > (n_batches - 1) * 200 // count(*) OVER (PARTITION BY run_id, structure, entrant)
), of_groups AS (  -- counts where there is one line-up, or too few batches yet
    SELECT run_id, structure, entrant, batch, line_up, sum(n_groups) OVER line_up_so_far AS n,
           sum(net_sq::DOUBLE) OVER line_up_so_far AS sq,
           sq - (sum(net_chips) OVER line_up_so_far)::DOUBLE ^ 2 / n AS spread
    FROM common
    WINDOW line_up_so_far AS (PARTITION BY run_id, line_up, entrant ORDER BY batch)
), line_up_errors AS (
    SELECT run_id, structure, entrant, batch,
           sum(sqrt(CASE WHEN spread > 1e-12 * sq THEN spread / (n - 1) * n ELSE 0 END) ORDER BY line_up) AS line_up_error
    FROM of_groups GROUP BY run_id, structure, entrant, batch
), rated AS (
    SELECT s.*, net_so_far::DOUBLE / hands AS chips_hand,
           nullif(CASE WHEN n_line_ups > 1 AND n_batches >= 32 THEN batch_error ELSE line_up_error END, 0) / hands AS se
    FROM so_far s LEFT JOIN line_up_errors USING (run_id, structure, entrant, batch)
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
