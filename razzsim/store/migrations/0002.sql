-- From schema version 1 to 2: recording levels, behaviour counters, labels. What was played before has no counters:
-- the new tables stay empty for it.
ALTER TABLE runs ADD COLUMN record VARCHAR;
ALTER TABLE runs ADD COLUMN label VARCHAR;
ALTER TABLE runs ADD COLUMN note VARCHAR;
UPDATE runs SET schema_version = 2, record = '{"level": "sums", "sample": 1.0}';
COMMENT ON COLUMN runs.record IS 'recording level and sample, as JSON';
COMMENT ON COLUMN runs.label IS 'a short name that somebody gave the run';
COMMENT ON COLUMN runs.note IS 'what somebody wrote about the run';

CREATE TABLE behaviour (run_id VARCHAR NOT NULL, line_up INTEGER NOT NULL, entrant INTEGER NOT NULL, seat INTEGER NOT NULL, street INTEGER NOT NULL, n_seen BIGINT, n_fold BIGINT, n_check BIGINT, n_call BIGINT, n_raise BIGINT, n_bring_in BIGINT, n_bet BIGINT, n_showdown BIGINT, n_won BIGINT, n_showdown_won BIGINT, net_chips BIGINT, PRIMARY KEY (run_id, line_up, entrant, seat, street));
COMMENT ON TABLE behaviour IS 'exact counters of what was done, one row an entrant, seat and street; hands of an entrant: one a copy';
COMMENT ON COLUMN behaviour.run_id IS 'first 12 hex digits of the fingerprint';
COMMENT ON COLUMN behaviour.line_up IS 'number of the line-up in the plan';
COMMENT ON COLUMN behaviour.entrant IS 'number of the entrant';
COMMENT ON COLUMN behaviour.seat IS 'seat at the table';
COMMENT ON COLUMN behaviour.street IS '3 to 7';
COMMENT ON COLUMN behaviour.n_seen IS 'hands in which the entrant had not folded when this street was dealt';
COMMENT ON COLUMN behaviour.n_fold IS 'decisions to fold';
COMMENT ON COLUMN behaviour.n_check IS 'decisions to check';
COMMENT ON COLUMN behaviour.n_call IS 'decisions to call or to post the bring-in';
COMMENT ON COLUMN behaviour.n_raise IS 'decisions to bet, complete or raise';
COMMENT ON COLUMN behaviour.n_bring_in IS 'of n_call, those that posted the bring-in';
COMMENT ON COLUMN behaviour.n_bet IS 'of n_raise, those that were the street''s first full bet: bets and completions';
COMMENT ON COLUMN behaviour.n_showdown IS 'of n_seen, hands in which the entrant''s cards were compared';
COMMENT ON COLUMN behaviour.n_won IS 'of n_seen, hands in which the entrant won a pot or a part of one';
COMMENT ON COLUMN behaviour.n_showdown_won IS 'of n_showdown, the same';
COMMENT ON COLUMN behaviour.net_chips IS 'chips won or lost in the hands of n_seen';

CREATE TABLE positions (run_id VARCHAR NOT NULL, line_up INTEGER NOT NULL, entrant INTEGER NOT NULL, position INTEGER NOT NULL, n_hands BIGINT, n_played BIGINT, net_chips BIGINT, n_steal_chances BIGINT, n_steals BIGINT, n_steals_won BIGINT, n_steals_faced BIGINT, n_steals_defended BIGINT, PRIMARY KEY (run_id, line_up, entrant, position));
COMMENT ON TABLE positions IS 'exact counters by place clockwise from the seat that owed the bring-in, one row an entrant and position';
COMMENT ON COLUMN positions.run_id IS 'first 12 hex digits of the fingerprint';
COMMENT ON COLUMN positions.line_up IS 'number of the line-up in the plan';
COMMENT ON COLUMN positions.entrant IS 'number of the entrant';
COMMENT ON COLUMN positions.position IS '0 = owed the bring-in, 1 = next; -1 = nobody owed it';
COMMENT ON COLUMN positions.n_hands IS 'hands dealt there';
COMMENT ON COLUMN positions.n_played IS 'of them, those not folded on third street';
COMMENT ON COLUMN positions.net_chips IS 'chips';
COMMENT ON COLUMN positions.n_steal_chances IS 'first decisions with nothing but the bring-in before, nobody in';
COMMENT ON COLUMN positions.n_steals IS 'of them, completed';
COMMENT ON COLUMN positions.n_steals_won IS 'of n_steals, won before fourth street was dealt';
COMMENT ON COLUMN positions.n_steals_faced IS 'decisions against such a completion with nobody else in';
COMMENT ON COLUMN positions.n_steals_defended IS 'of them, not folded';

CREATE TABLE start_hands (run_id VARCHAR NOT NULL, structure VARCHAR NOT NULL, entrant INTEGER NOT NULL, class INTEGER NOT NULL, n BIGINT, n_played BIGINT, net_chips BIGINT, PRIMARY KEY (run_id, structure, entrant, class));
COMMENT ON TABLE start_hands IS 'exact counters by the first three cards, one row an entrant and class; added up over the line-ups';
COMMENT ON COLUMN start_hands.run_id IS 'first 12 hex digits of the fingerprint';
COMMENT ON COLUMN start_hands.structure IS 'name of the limits';
COMMENT ON COLUMN start_hands.entrant IS 'number of the entrant';
COMMENT ON COLUMN start_hands.class IS 'rank of the door card * 91 + number of the two downcards'' ranks; rank 0 = ace .. 12 = king; number of ranks a <= b: b * (b + 1) / 2 + a';
COMMENT ON COLUMN start_hands.n IS 'hands dealt';
COMMENT ON COLUMN start_hands.n_played IS 'of them, those not folded on third street';
COMMENT ON COLUMN start_hands.net_chips IS 'chips';

CREATE TABLE top_pots (run_id VARCHAR NOT NULL, line_up INTEGER NOT NULL, deal BIGINT NOT NULL, rotation INTEGER NOT NULL, pot_chips BIGINT, PRIMARY KEY (run_id, line_up, deal, rotation));
COMMENT ON TABLE top_pots IS 'the biggest pots: the 20 first of each line-up by chips, then deal, then rotation';
COMMENT ON COLUMN top_pots.run_id IS 'first 12 hex digits of the fingerprint';
COMMENT ON COLUMN top_pots.line_up IS 'number of the line-up in the plan';
COMMENT ON COLUMN top_pots.deal IS 'number of the deal';
COMMENT ON COLUMN top_pots.rotation IS 'rotation of the deal';
COMMENT ON COLUMN top_pots.pot_chips IS 'chips in all pots, uncalled bets returned, rake included';

CREATE TABLE parts (run_id VARCHAR NOT NULL, level VARCHAR NOT NULL, path VARCHAR NOT NULL, line_up INTEGER, first_group BIGINT, n_groups BIGINT, sample DOUBLE, origin VARCHAR, n_rows BIGINT, n_bytes BIGINT, PRIMARY KEY (run_id, level, path));
COMMENT ON TABLE parts IS 'one row a Parquet file of rows beside the database; rows of other files do not count';
COMMENT ON COLUMN parts.run_id IS 'first 12 hex digits of the fingerprint';
COMMENT ON COLUMN parts.level IS 'groups, hands or actions';
COMMENT ON COLUMN parts.path IS 'absolute path of the file';
COMMENT ON COLUMN parts.line_up IS 'number of the line-up; NULL when the file holds several';
COMMENT ON COLUMN parts.first_group IS 'first deal it covers';
COMMENT ON COLUMN parts.n_groups IS 'deals it covers, of each line-up in it';
COMMENT ON COLUMN parts.sample IS 'share of the deals that is recorded in it';
COMMENT ON COLUMN parts.origin IS 'run: written as the run was played; materialize: by playing its deals again';
COMMENT ON COLUMN parts.n_rows IS 'rows';
COMMENT ON COLUMN parts.n_bytes IS 'bytes of the file';
