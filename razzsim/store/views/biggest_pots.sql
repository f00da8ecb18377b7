-- The 100 biggest pots of a structure. Only the 20 biggest of each line-up are kept for sure (a running file holds
-- more), so the list is exact down to the row where a line-up has its twentieth pot: below, that line-up may have had
-- others. The first 20 rows are always exact.
CREATE OR REPLACE VIEW biggest_pots AS
SELECT t.run_id, l.structure,
       row_number() OVER (
           PARTITION BY t.run_id, l.structure ORDER BY t.pot_chips DESC, t.deal, t.line_up, t.rotation
       ) AS rank,
       t.line_up, t.deal, t.rotation, t.pot_chips, t.pot_chips / l.big_bet_chips::DOUBLE AS pot_bb
FROM top_pots t
JOIN line_ups l USING (run_id, line_up)
QUALIFY rank <= 100
ORDER BY t.run_id, l.structure, rank;
COMMENT ON VIEW biggest_pots IS 'the 100 biggest pots of a structure; exact down to the row where one line-up has its twentieth, so the first 20 always are';
COMMENT ON COLUMN biggest_pots.rank IS 'by pot, then deal, line-up, rotation';
COMMENT ON COLUMN biggest_pots.pot_chips IS 'chips in all pots, uncalled bets returned, rake included';
COMMENT ON COLUMN biggest_pots.pot_bb IS 'the same in big bets';
