-- Shares are of the decisions of the street, so fold + check + call + bet + raise = 1; check is a word of SQL and must
-- be quoted when it is asked for by name. aggression leaves folds and checks out, and the bring-in, which nobody chooses:
-- it is about decisions to put in chips.
CREATE OR REPLACE VIEW by_street AS
WITH summed AS (
    SELECT b.run_id, l.structure, e.name AS entrant, b.street, sum(n_seen)::BIGINT AS n_seen,
           sum(n_fold + n_check + n_call + n_raise)::DOUBLE AS n, sum(n_fold) AS folds, sum(n_check) AS checks,
           sum(n_call) AS calls, sum(n_bring_in) AS bring_ins,
           sum(n_bet) AS bets, sum(n_raise) AS bets_and_raises, sum(n_showdown) AS showdowns,
           sum(n_won) AS wins, sum(n_showdown_won) AS showdowns_won
    FROM behaviour b
    JOIN line_ups l USING (run_id, line_up)
    JOIN entrants e ON (e.run_id, e.entrant) = (b.run_id, b.entrant)
    GROUP BY b.run_id, l.structure, e.name, b.street
)
SELECT run_id, structure, entrant, street, n_seen, folds / nullif(n, 0) AS fold, checks / nullif(n, 0) AS "check",
       calls / nullif(n, 0) AS call, bets / nullif(n, 0) AS bet, (bets_and_raises - bets) / nullif(n, 0) AS raise,
       bets_and_raises / nullif(bets_and_raises + calls - bring_ins, 0)::DOUBLE AS aggression,
       showdowns / n_seen::DOUBLE AS showdown, wins / n_seen::DOUBLE AS won,
       showdowns_won / nullif(showdowns, 0)::DOUBLE AS showdown_won
FROM summed
ORDER BY run_id, structure, entrant, street;
COMMENT ON VIEW by_street IS 'what every entrant did on every street, over all line-ups; NULL where there was nothing to share';
COMMENT ON COLUMN by_street.n_seen IS 'hands in which the entrant had not folded when the street was dealt';
COMMENT ON COLUMN by_street.fold IS 'share of the decisions of the street';
COMMENT ON COLUMN by_street."check" IS 'share of the decisions; its name needs quotes: "check"';
COMMENT ON COLUMN by_street.call IS 'share of the decisions, posting the bring-in included';
COMMENT ON COLUMN by_street.bet IS 'share of the decisions: the first full bet of the street, completions included';
COMMENT ON COLUMN by_street.raise IS 'share of the decisions: raises after the first full bet';
COMMENT ON COLUMN by_street.aggression IS 'bets and raises as a share of bets, raises and calls; the bring-in is none of them';
COMMENT ON COLUMN by_street.showdown IS 'share of n_seen that got to a showdown';
COMMENT ON COLUMN by_street.won IS 'share of n_seen that won a pot or a part of one';
COMMENT ON COLUMN by_street.showdown_won IS 'share of those showdowns that won a pot or a part of one';
