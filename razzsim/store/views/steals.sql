-- Third street with nothing but the bring-in before: a chance to steal has the seat whose door card is lower than those
-- of all live seats from it to the bring-in. A steal is won when no fourth street is dealt. Faced: decisions against
-- it with nobody else in.
CREATE OR REPLACE VIEW steals AS
WITH summed AS (
    SELECT p.run_id, l.structure, e.name AS entrant, sum(n_steal_chances)::BIGINT AS n_chances,
           sum(p.n_steals)::BIGINT AS n_steals, sum(n_steals_won)::BIGINT AS n_won,
           sum(n_steals_faced)::BIGINT AS n_faced, sum(n_steals_defended)::BIGINT AS n_defended
    FROM positions p
    JOIN line_ups l USING (run_id, line_up)
    JOIN entrants e ON (e.run_id, e.entrant) = (p.run_id, p.entrant)
    GROUP BY p.run_id, l.structure, e.name
)
SELECT *, n_steals / nullif(n_chances, 0)::DOUBLE AS steal, n_won / nullif(n_steals, 0)::DOUBLE AS success,
       n_defended / nullif(n_faced, 0)::DOUBLE AS defence
FROM summed
ORDER BY run_id, structure, entrant;
COMMENT ON VIEW steals IS 'how often every entrant stole the antes, with what success, and how often it defended; over all line-ups';
COMMENT ON COLUMN steals.n_chances IS 'first decisions with nothing but the bring-in before and the lowest door card of the live seats up to it';
COMMENT ON COLUMN steals.n_steals IS 'of n_chances, completed';
COMMENT ON COLUMN steals.n_won IS 'of n_steals, won before fourth street was dealt';
COMMENT ON COLUMN steals.n_faced IS 'decisions against a steal with nobody else in';
COMMENT ON COLUMN steals.n_defended IS 'of n_faced, not folded';
COMMENT ON COLUMN steals.steal IS 'n_steals / n_chances';
COMMENT ON COLUMN steals.success IS 'n_won / n_steals';
COMMENT ON COLUMN steals.defence IS 'n_defended / n_faced';
