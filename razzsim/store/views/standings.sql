-- One row an entrant: its win rate over its line-ups of a structure, on the batches that all line-ups of it have, so
-- that everybody is compared on the same deals (line-ups stopped by a failing strategy are left out). Line-ups share
-- their deals, so over several of them the error comes from the batch totals (at least 32 batches), else from the sum
-- of the line-ups' own errors, which is enough however they are correlated. One line-up: from its deal groups.
CREATE OR REPLACE VIEW standings AS
WITH prefixes AS (
    SELECT run_id, structure, min(deals_done) AS deals_done
    FROM line_ups WHERE status <> 'stopped' GROUP BY run_id, structure
), counted AS (
    SELECT run_id, line_up, structure, l.big_bet_chips, l.small_bet_chips,
           CASE WHEN p.deals_done < r.deals THEN p.deals_done // r.batch_groups
                ELSE (r.deals + r.batch_groups - 1) // r.batch_groups END AS n_complete
    FROM line_ups l
    JOIN prefixes p USING (run_id, structure)
    JOIN runs r USING (run_id)
    WHERE l.status <> 'stopped'
), common AS NOT MATERIALIZED (  -- kept for both uses, its rows take longer to write than to join again
    SELECT g.*, c.structure, c.big_bet_chips, c.small_bet_chips
    FROM group_sums g JOIN counted c USING (run_id, line_up)
    WHERE g.batch < c.n_complete
), by_batch AS (
    SELECT run_id, structure, entrant, batch, any_value(n_groups) AS n_groups, sum(net_chips)::HUGEINT AS net_chips
    FROM common GROUP BY run_id, structure, entrant, batch
), by_line_up AS (
    SELECT run_id, structure, entrant, line_up, any_value(big_bet_chips) AS big_bet_chips,
           any_value(small_bet_chips) AS small_bet_chips, count(*) AS n_batches, sum(n_groups)::BIGINT AS groups,
           sum(n_hands)::BIGINT AS hands, sum(net_chips)::HUGEINT AS net_chips, sum(net_sq)::DOUBLE AS sq,
           sq - sum(net_chips)::DOUBLE ^ 2 / groups AS spread
    FROM common GROUP BY run_id, structure, entrant, line_up
), totals AS (
    SELECT run_id, structure, entrant, any_value(n_batches) AS n_batches, any_value(groups) AS groups,
           sum(hands)::BIGINT AS hands, sum(net_chips)::HUGEINT AS net_chips, count(*) AS n_line_ups,
           any_value(big_bet_chips) AS big_bet_chips, any_value(small_bet_chips) AS small_bet_chips,
           -- a variance of 0, or one lost in rounding, counts as 0
           sum(sqrt(CASE WHEN spread > 1e-12 * sq THEN spread / (groups - 1) * groups ELSE 0 END) ORDER BY line_up)
               AS line_up_error
    FROM by_line_up GROUP BY run_id, structure, entrant
), batch_errors AS (
    SELECT run_id, structure, entrant,
           sum((c.net_chips - c.n_groups * t.net_chips::DOUBLE / t.groups) ^ 2 / c.n_groups ORDER BY batch) AS spread,
           sum(c.net_chips::DOUBLE ^ 2 / c.n_groups ORDER BY batch) AS sq,
           CASE WHEN spread > 1e-12 * sq THEN sqrt(spread / (any_value(t.n_batches) - 1) * any_value(t.groups)) ELSE 0 END
               AS batch_error
    FROM by_batch c JOIN totals t USING (run_id, structure, entrant)
    WHERE t.n_batches >= 32 AND t.n_line_ups > 1
    GROUP BY run_id, structure, entrant
), rated AS (
    SELECT t.*, net_chips::DOUBLE / hands AS chips_hand, nullif(coalesce(batch_error, line_up_error), 0) / hands AS se
    FROM totals t LEFT JOIN batch_errors USING (run_id, structure, entrant)
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
COMMENT ON VIEW standings IS 'win rate of every entrant over all its line-ups; lo, hi: 95% interval of bb100; groups: deals with all their seatings; sb_hand: small bets a hand';
COMMENT ON COLUMN standings.rank IS '1 = highest win rate of the structure';
COMMENT ON COLUMN standings.hands IS 'entrant-hands: one a copy';
COMMENT ON COLUMN standings.groups IS 'deals with all their seatings';
COMMENT ON COLUMN standings.bb100 IS 'big bets won per 100 hands';
COMMENT ON COLUMN standings.se_bb100 IS 'standard error of bb100; NULL where nothing varied';
COMMENT ON COLUMN standings.lo_bb100 IS 'lower end of the 95% interval of bb100';
COMMENT ON COLUMN standings.hi_bb100 IS 'upper end of the 95% interval of bb100';
COMMENT ON COLUMN standings.sb_hand IS 'small bets won a hand';
COMMENT ON COLUMN standings.net_chips IS 'chips won';
