-- Position 0 owed the bring-in.
CREATE OR REPLACE VIEW bring_ins AS
SELECT p.run_id, l.structure, e.name AS entrant,
       coalesce(sum(p.n_hands) FILTER (p.position = 0), 0)::BIGINT AS n, n / sum(p.n_hands)::DOUBLE AS share,
       sum(p.n_played) FILTER (p.position = 0) / nullif(n, 0)::DOUBLE AS played,
       100 * sum(p.net_chips) FILTER (p.position = 0) / nullif(n, 0)::DOUBLE / any_value(l.big_bet_chips) AS bb100
FROM positions p
JOIN line_ups l USING (run_id, line_up)
JOIN entrants e ON (e.run_id, e.entrant) = (p.run_id, p.entrant)
GROUP BY p.run_id, l.structure, e.name
ORDER BY p.run_id, l.structure, entrant;
COMMENT ON VIEW bring_ins IS 'hands in which every entrant owed the bring-in, over all line-ups';
COMMENT ON COLUMN bring_ins.n IS 'entrant-hands in which it owed the bring-in';
COMMENT ON COLUMN bring_ins.share IS 'share of all its hands';
COMMENT ON COLUMN bring_ins.played IS 'share of n not folded on third street';
COMMENT ON COLUMN bring_ins.bb100 IS 'big bets won per 100 hands of n';
