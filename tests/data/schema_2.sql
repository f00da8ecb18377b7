-- A result file of schema version 2, as razzsim made it at commit 7d3d345: tables, an unfinished tiny run, views.
CREATE TABLE runs (run_id VARCHAR NOT NULL, name VARCHAR, config VARCHAR, plan VARCHAR, fingerprint VARCHAR, engine_version INTEGER, schema_version INTEGER, razzsim_version VARCHAR, seed BIGINT, game VARCHAR, rules VARCHAR, schedule VARCHAR, seats INTEGER, small_bet_chips BIGINT, big_bet_chips BIGINT, deals BIGINT, batch_groups BIGINT, status VARCHAR, stop_reason VARCHAR, host VARCHAR, versions VARCHAR, attempt INTEGER, cpu_s DOUBLE, wall_s DOUBLE, created_at TIMESTAMP, record VARCHAR, label VARCHAR, note VARCHAR, PRIMARY KEY (run_id));
COMMENT ON TABLE runs IS 'one row a run: what was asked, by whom it was played, how it ended';
COMMENT ON COLUMN runs.run_id IS 'first 12 hex digits of the fingerprint';
COMMENT ON COLUMN runs.name IS 'name of the experiment';
COMMENT ON COLUMN runs.config IS 'the YAML text';
COMMENT ON COLUMN runs.plan IS 'the resolved plan as JSON: all that is needed to go on or play a hand again';
COMMENT ON COLUMN runs.fingerprint IS 'sha256 of what decides the numbers';
COMMENT ON COLUMN runs.engine_version IS 'version of the rules engine';
COMMENT ON COLUMN runs.schema_version IS 'version of this file''s shape';
COMMENT ON COLUMN runs.razzsim_version IS 'version of the package that wrote it';
COMMENT ON COLUMN runs.seed IS 'seed of all cards, seatings and dice';
COMMENT ON COLUMN runs.game IS 'razz or deuce_to_seven_razz';
COMMENT ON COLUMN runs.rules IS 'the rules'' parameters as JSON';
COMMENT ON COLUMN runs.schedule IS 'heads_up, round_robin or table';
COMMENT ON COLUMN runs.seats IS 'seats of a table';
COMMENT ON COLUMN runs.small_bet_chips IS 'chips; NULL when structures differ (see line_ups)';
COMMENT ON COLUMN runs.big_bet_chips IS 'chips; NULL when structures differ (see line_ups)';
COMMENT ON COLUMN runs.deals IS 'deals per line-up that were asked for';
COMMENT ON COLUMN runs.batch_groups IS 'deal groups a batch of the sums';
COMMENT ON COLUMN runs.status IS 'running, complete, stopped or failed';
COMMENT ON COLUMN runs.stop_reason IS 'why it is not running any more';
COMMENT ON COLUMN runs.host IS 'machine of the driver';
COMMENT ON COLUMN runs.versions IS 'of Python and the packages that decide or carry the numbers, as JSON';
COMMENT ON COLUMN runs.attempt IS '1 for run, one more for every resume';
COMMENT ON COLUMN runs.cpu_s IS 'seconds of CPU in the workers';
COMMENT ON COLUMN runs.wall_s IS 'seconds from start to end, all attempts';
COMMENT ON COLUMN runs.created_at IS 'UTC';
COMMENT ON COLUMN runs.record IS 'recording level and sample, as JSON';
COMMENT ON COLUMN runs.label IS 'a short name that somebody gave the run';
COMMENT ON COLUMN runs.note IS 'what somebody wrote about the run';
CREATE TABLE entrants (run_id VARCHAR NOT NULL, entrant INTEGER NOT NULL, name VARCHAR, kind VARCHAR, source VARCHAR, source_sha256 VARCHAR, params VARCHAR, PRIMARY KEY (run_id, entrant));
COMMENT ON TABLE entrants IS 'one row an entrant: a strategy with parameters, and the text it was made from';
COMMENT ON COLUMN entrants.run_id IS 'first 12 hex digits of the fingerprint';
COMMENT ON COLUMN entrants.entrant IS 'number of the entrant in the plan';
COMMENT ON COLUMN entrants.name IS 'its name';
COMMENT ON COLUMN entrants.kind IS 'compiled';
COMMENT ON COLUMN entrants.source IS 'the strategy''s text';
COMMENT ON COLUMN entrants.source_sha256 IS 'sha256 of the text';
COMMENT ON COLUMN entrants.params IS 'parameters as JSON';
CREATE TABLE line_ups (run_id VARCHAR NOT NULL, line_up INTEGER NOT NULL, structure VARCHAR, entrants INTEGER[], rotations INTEGER, small_bet_chips BIGINT, big_bet_chips BIGINT, deals_done BIGINT, status VARCHAR, PRIMARY KEY (run_id, line_up));
COMMENT ON TABLE line_ups IS 'one row a line-up: which entrants share a table under which limits';
COMMENT ON COLUMN line_ups.run_id IS 'first 12 hex digits of the fingerprint';
COMMENT ON COLUMN line_ups.line_up IS 'number of the line-up in the plan';
COMMENT ON COLUMN line_ups.structure IS 'name of the limits';
COMMENT ON COLUMN line_ups.entrants IS 'entrant of every copy';
COMMENT ON COLUMN line_ups.rotations IS 'seatings a deal is played in: hands of a group';
COMMENT ON COLUMN line_ups.small_bet_chips IS 'chips';
COMMENT ON COLUMN line_ups.big_bet_chips IS 'chips';
COMMENT ON COLUMN line_ups.deals_done IS 'deals 0 .. deals_done - 1 are committed without a gap';
COMMENT ON COLUMN line_ups.status IS 'open, complete or stopped';
CREATE TABLE chunks (run_id VARCHAR NOT NULL, line_up INTEGER NOT NULL, first_group BIGINT NOT NULL, n_groups BIGINT, n_hands BIGINT, n_decisions BIGINT, chunk_s DOUBLE, cpu_s DOUBLE, worker VARCHAR, attempt INTEGER, committed_at TIMESTAMP, PRIMARY KEY (run_id, line_up, first_group));
COMMENT ON TABLE chunks IS 'one row a committed chunk; its sums entered with it, once';
COMMENT ON COLUMN chunks.run_id IS 'first 12 hex digits of the fingerprint';
COMMENT ON COLUMN chunks.line_up IS 'number of the line-up in the plan';
COMMENT ON COLUMN chunks.first_group IS 'first deal of the chunk';
COMMENT ON COLUMN chunks.n_groups IS 'deal groups added up here';
COMMENT ON COLUMN chunks.n_hands IS 'hands played';
COMMENT ON COLUMN chunks.n_decisions IS 'decisions asked of strategies';
COMMENT ON COLUMN chunks.chunk_s IS 'seconds the worker took';
COMMENT ON COLUMN chunks.cpu_s IS 'seconds of CPU the worker took';
COMMENT ON COLUMN chunks.worker IS 'host and process that played it';
COMMENT ON COLUMN chunks.attempt IS 'which try of the chunk this was, 1 the first';
COMMENT ON COLUMN chunks.committed_at IS 'UTC';
CREATE TABLE failures (run_id VARCHAR NOT NULL, line_up INTEGER NOT NULL, first_group BIGINT NOT NULL, run_attempt INTEGER NOT NULL, attempt INTEGER NOT NULL, outcome VARCHAR NOT NULL, entrant INTEGER NOT NULL, deal BIGINT, rotation INTEGER, seat INTEGER, n BIGINT, message VARCHAR, view VARCHAR, PRIMARY KEY (run_id, line_up, first_group, run_attempt, attempt, outcome, entrant));
COMMENT ON TABLE failures IS 'one row a failed try of a chunk, or an entrant''s decisions that were folded for it';
COMMENT ON COLUMN failures.run_id IS 'first 12 hex digits of the fingerprint';
COMMENT ON COLUMN failures.line_up IS 'number of the line-up in the plan';
COMMENT ON COLUMN failures.first_group IS 'first deal of the chunk';
COMMENT ON COLUMN failures.run_attempt IS 'attempt of the run it happened in';
COMMENT ON COLUMN failures.attempt IS 'which try of the chunk in it';
COMMENT ON COLUMN failures.outcome IS 'error, timeout, worker_lost, quarantined or folded';
COMMENT ON COLUMN failures.entrant IS 'entrant at fault, -1 if none';
COMMENT ON COLUMN failures.deal IS 'deal it happened on, NULL if unknown';
COMMENT ON COLUMN failures.rotation IS 'rotation of the deal';
COMMENT ON COLUMN failures.seat IS 'seat that had to act';
COMMENT ON COLUMN failures.n IS 'how many decisions';
COMMENT ON COLUMN failures.message IS 'what was said';
COMMENT ON COLUMN failures.view IS 'what the entrant saw, as JSON';
CREATE TABLE group_sums (run_id VARCHAR NOT NULL, line_up INTEGER NOT NULL, batch BIGINT NOT NULL, entrant INTEGER NOT NULL, n_groups BIGINT, n_hands BIGINT, n_nonzero BIGINT, net_chips HUGEINT, net_sq HUGEINT, PRIMARY KEY (run_id, line_up, batch, entrant));
COMMENT ON TABLE group_sums IS 'exact sums over deal groups, one row a batch and entrant; x is the entrant''s chips won in a group';
COMMENT ON COLUMN group_sums.run_id IS 'first 12 hex digits of the fingerprint';
COMMENT ON COLUMN group_sums.line_up IS 'number of the line-up in the plan';
COMMENT ON COLUMN group_sums.batch IS 'first_group / batch_groups: the unit of the sums';
COMMENT ON COLUMN group_sums.entrant IS 'number of the entrant';
COMMENT ON COLUMN group_sums.n_groups IS 'deal groups added up here';
COMMENT ON COLUMN group_sums.n_hands IS 'entrant-hands: hands times copies';
COMMENT ON COLUMN group_sums.n_nonzero IS 'groups with x other than 0';
COMMENT ON COLUMN group_sums.net_chips IS 'chips; sum of x';
COMMENT ON COLUMN group_sums.net_sq IS 'chips squared; sum of x * x';
CREATE TABLE group_cross (run_id VARCHAR NOT NULL, line_up INTEGER NOT NULL, batch BIGINT NOT NULL, entrant_a INTEGER NOT NULL, entrant_b INTEGER NOT NULL, net_net HUGEINT, PRIMARY KEY (run_id, line_up, batch, entrant_a, entrant_b));
COMMENT ON TABLE group_cross IS 'exact sums of products over deal groups, one row a batch and pair of entrants';
COMMENT ON COLUMN group_cross.run_id IS 'first 12 hex digits of the fingerprint';
COMMENT ON COLUMN group_cross.line_up IS 'number of the line-up in the plan';
COMMENT ON COLUMN group_cross.batch IS 'first_group / batch_groups: the unit of the sums';
COMMENT ON COLUMN group_cross.entrant_a IS 'the smaller number';
COMMENT ON COLUMN group_cross.entrant_b IS 'the larger number';
COMMENT ON COLUMN group_cross.net_net IS 'chips squared; sum of x_a * x_b';
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
INSERT INTO runs VALUES
('10e94e593491', 'old', 'seed: 20261130
table: {seats: 2, ante: 3, bring_in: 5, small_bet: 20}
entrants: [{strategy: caller.py}, {strategy: random}]
schedule: heads_up
deals: 16
batch_groups: 8
chunk_groups: 4
', '{"batch_groups": 8, "chunk_groups": 4, "config": "seed: 20261130\ntable: {seats: 2, ante: 3, bring_in: 5, small_bet: 20}\nentrants: [{strategy: caller.py}, {strategy: random}]\nschedule: heads_up\ndeals: 16\nbatch_groups: 8\nchunk_groups: 4\n", "deals": 16, "entrants": [{"count": 1, "kind": "compiled", "name": "caller", "params": {}, "source": {"function": null, "stem": "caller", "text": "\"\"\"Calls.\"\"\"\nfrom razzsim.strategy import CALL, strategy\n\n\n@strategy()\ndef caller(me, table, p):\n    return CALL\n"}}, {"count": 1, "kind": "compiled", "name": "random", "params": {}, "source": {"function": null, "stem": "random", "text": "\"\"\"Random: every legal action alike, from its dice. It plays no idea at all; whatever loses to it has a fault.\"\"\"\n\nfrom razzsim.strategy import features as f\nfrom razzsim.strategy import strategy\n\n\n@strategy(declares=(\"stateless\",))\ndef random(me, table, p):\n    \"\"\"One of the legal actions, each as likely as the others.\"\"\"\n    n = (me.legal_mask & 1) + (me.legal_mask >> 1 & 1) + (me.legal_mask >> 2 & 1)\n    pick = int(f.uniform(me, 0) * n)\n    for action in range(3):\n        if me.legal_mask >> action & 1:\n            if pick == 0:\n                return action\n            pick -= 1\n    return 1\n"}}], "game": "razz", "limits": {"attempts": 3, "chunk_s": 300}, "line_ups": [{"entrants": [0, 1], "number": 0, "rotations": 2, "structure": "table"}], "name": "old", "on_error": "stop_run", "record": {"level": "sums", "sample": 1}, "rules": {"checked_showdown": "first_seat", "dealer": "fixed", "deck_exhaustion": "community_card", "displaced_bring_in": "forced", "heads_up_cap": "capped", "max_bets": 4, "odd_chip": "high_card_by_suit", "rake": null, "short_all_in": "half_bet", "short_all_in_counts_to_cap": "half", "short_bring_in": "full", "tied_low_opener": "high_suit"}, "schedule": "heads_up", "seed": 20261130, "snapshot_s": 5, "structures": {"table": {"ante": 3, "big_bet": 40, "bring_in": 5, "seats": 2, "small_bet": 20, "stacks": [643, 643]}}}', '10e94e59349140579591921669f8974f060bfc1f61c50f8ae2631508a88084fb', 2, 2, '0.1.0', 20261130, 'razz', '{"max_bets": 4, "heads_up_cap": "capped", "tied_low_opener": "high_suit", "displaced_bring_in": "forced", "short_bring_in": "full", "short_all_in": "half_bet", "short_all_in_counts_to_cap": "half", "odd_chip": "high_card_by_suit", "deck_exhaustion": "community_card", "checked_showdown": "first_seat", "dealer": "fixed", "rake": null}', 'heads_up', 2, 20, 40, 16, 8, 'stopped', 'interrupted', 'there', '{"razzsim": "0.1.0", "ray": "2.60.0", "duckdb": "2.0.1", "numba": "0.68.1", "numpy": "2.4.6", "pyarrow": "26.0.1", "python": "3.11.7", "engine": "2"}', 1, 21.933202221, 0.5, '2026-11-30 12:00:00', '{"level": "sums", "sample": 1}', NULL, NULL);
INSERT INTO entrants VALUES
('10e94e593491', 0, 'caller', 'compiled', '"""Calls."""
from razzsim.strategy import CALL, strategy


@strategy()
def caller(me, table, p):
    return CALL
', 'c7dc997132888cba53eb7134d5dabcd7fa6a29790b2fe59a33f07ae396e0e0b9', '{}'),
('10e94e593491', 1, 'random', 'compiled', '"""Random: every legal action alike, from its dice. It plays no idea at all; whatever loses to it has a fault."""

from razzsim.strategy import features as f
from razzsim.strategy import strategy


@strategy(declares=("stateless",))
def random(me, table, p):
    """One of the legal actions, each as likely as the others."""
    n = (me.legal_mask & 1) + (me.legal_mask >> 1 & 1) + (me.legal_mask >> 2 & 1)
    pick = int(f.uniform(me, 0) * n)
    for action in range(3):
        if me.legal_mask >> action & 1:
            if pick == 0:
                return action
            pick -= 1
    return 1
', 'f7f3572d73a14e96ccac3aded4ff50dc60e24b04f45e380f3f01e5053b6f3c15', '{}');
INSERT INTO line_ups VALUES
('10e94e593491', 0, 'table', [0, 1], 2, 20, 40, 4, 'open');
INSERT INTO chunks VALUES
('10e94e593491', 0, 0, 4, 8, 56, 26.998195965, 21.932132649, 'there:7', 1, '2026-11-30 12:00:01'),
('10e94e593491', 0, 8, 4, 8, 45, 0.001071035, 0.001069572, 'there:7', 1, '2026-11-30 12:00:01');
INSERT INTO group_sums VALUES
('10e94e593491', 0, 0, 0, 4, 8, 4, 379, 44679),
('10e94e593491', 0, 0, 1, 4, 8, 4, -379, 44679),
('10e94e593491', 0, 1, 0, 4, 8, 4, 33, 1603),
('10e94e593491', 0, 1, 1, 4, 8, 4, -33, 1603);
INSERT INTO group_cross VALUES
('10e94e593491', 0, 0, 0, 1, -44679),
('10e94e593491', 0, 1, 0, 1, -1603);
INSERT INTO behaviour VALUES
('10e94e593491', 0, 0, 0, 3, 8, 0, 0, 9, 0, 6, 0, 1, 7, 0, 138),
('10e94e593491', 0, 0, 0, 4, 5, 0, 1, 3, 0, 0, 0, 1, 4, 0, 129),
('10e94e593491', 0, 0, 0, 5, 4, 0, 1, 3, 0, 0, 0, 1, 3, 0, 121),
('10e94e593491', 0, 0, 0, 6, 3, 0, 1, 2, 0, 0, 0, 1, 2, 0, 98),
('10e94e593491', 0, 0, 0, 7, 3, 0, 1, 0, 0, 0, 0, 1, 2, 0, 98),
('10e94e593491', 0, 0, 1, 3, 8, 0, 0, 9, 0, 2, 0, 1, 8, 1, 274),
('10e94e593491', 0, 0, 1, 4, 8, 0, 7, 1, 0, 0, 0, 1, 8, 1, 274),
('10e94e593491', 0, 0, 1, 5, 4, 0, 4, 1, 0, 0, 0, 1, 4, 1, 212),
('10e94e593491', 0, 0, 1, 6, 4, 0, 4, 2, 0, 0, 0, 1, 4, 1, 212),
('10e94e593491', 0, 0, 1, 7, 2, 0, 2, 1, 0, 0, 0, 1, 2, 1, 136),
('10e94e593491', 0, 1, 0, 3, 8, 0, 0, 6, 2, 5, 2, 1, 0, 0, -274),
('10e94e593491', 0, 1, 0, 4, 8, 4, 3, 0, 1, 0, 1, 1, 0, 0, -274),
('10e94e593491', 0, 1, 0, 5, 4, 0, 3, 0, 1, 0, 1, 1, 0, 0, -212),
('10e94e593491', 0, 1, 0, 6, 4, 2, 0, 0, 2, 0, 2, 1, 0, 0, -212),
('10e94e593491', 0, 1, 0, 7, 2, 1, 0, 0, 1, 0, 1, 1, 0, 0, -136),
('10e94e593491', 0, 1, 1, 3, 8, 3, 0, 2, 3, 0, 3, 1, 1, 1, -138),
('10e94e593491', 0, 1, 1, 4, 5, 1, 1, 0, 3, 0, 3, 1, 1, 1, -129),
('10e94e593491', 0, 1, 1, 5, 4, 1, 0, 0, 3, 0, 3, 1, 1, 1, -121),
('10e94e593491', 0, 1, 1, 6, 3, 0, 1, 0, 2, 0, 2, 1, 1, 1, -98),
('10e94e593491', 0, 1, 1, 7, 3, 2, 1, 0, 0, 0, 0, 1, 1, 1, -98);
INSERT INTO positions VALUES
('10e94e593491', 0, 0, 0, 8, 8, 123, 0, 0, 0, 2, 2),
('10e94e593491', 0, 0, 1, 8, 8, 289, 5, 0, 0, 0, 0),
('10e94e593491', 0, 1, 0, 8, 8, -289, 0, 0, 0, 0, 0),
('10e94e593491', 0, 1, 1, 8, 5, -123, 8, 2, 0, 0, 0);
INSERT INTO start_hands VALUES
('10e94e593491', 'table', 0, 43, 1, 1, 8),
('10e94e593491', 'table', 0, 76, 1, 1, 48),
('10e94e593491', 'table', 0, 129, 1, 1, 83),
('10e94e593491', 'table', 0, 151, 1, 1, 23),
('10e94e593491', 'table', 0, 178, 1, 1, 23),
('10e94e593491', 'table', 0, 205, 1, 1, 88),
('10e94e593491', 'table', 0, 231, 1, 1, 3),
('10e94e593491', 'table', 0, 266, 1, 1, 68),
('10e94e593491', 'table', 0, 346, 1, 1, 8),
('10e94e593491', 'table', 0, 714, 1, 1, -108),
('10e94e593491', 'table', 0, 798, 1, 1, 8),
('10e94e593491', 'table', 0, 816, 1, 1, 23),
('10e94e593491', 'table', 0, 876, 1, 1, 123),
('10e94e593491', 'table', 0, 890, 1, 1, 8),
('10e94e593491', 'table', 0, 997, 1, 1, 3),
('10e94e593491', 'table', 0, 1103, 1, 1, 3),
('10e94e593491', 'table', 1, 43, 1, 1, -123),
('10e94e593491', 'table', 1, 76, 1, 0, -3),
('10e94e593491', 'table', 1, 129, 1, 1, -68),
('10e94e593491', 'table', 1, 151, 1, 1, -8),
('10e94e593491', 'table', 1, 178, 1, 1, -23),
('10e94e593491', 'table', 1, 205, 1, 1, 108),
('10e94e593491', 'table', 1, 231, 1, 1, -48),
('10e94e593491', 'table', 1, 266, 1, 1, -83),
('10e94e593491', 'table', 1, 346, 1, 0, -3),
('10e94e593491', 'table', 1, 714, 1, 1, -88),
('10e94e593491', 'table', 1, 798, 1, 0, -3),
('10e94e593491', 'table', 1, 816, 1, 1, -23),
('10e94e593491', 'table', 1, 876, 1, 1, -8),
('10e94e593491', 'table', 1, 890, 1, 1, -23),
('10e94e593491', 'table', 1, 997, 1, 1, -8),
('10e94e593491', 'table', 1, 1103, 1, 1, -8);
INSERT INTO top_pots VALUES
('10e94e593491', 0, 0, 0, 166),
('10e94e593491', 0, 0, 1, 136),
('10e94e593491', 0, 1, 0, 6),
('10e94e593491', 0, 1, 1, 96),
('10e94e593491', 0, 2, 0, 246),
('10e94e593491', 0, 2, 1, 16),
('10e94e593491', 0, 3, 0, 46),
('10e94e593491', 0, 3, 1, 46),
('10e94e593491', 0, 8, 0, 16),
('10e94e593491', 0, 8, 1, 46),
('10e94e593491', 0, 9, 0, 216),
('10e94e593491', 0, 9, 1, 176),
('10e94e593491', 0, 10, 0, 6),
('10e94e593491', 0, 10, 1, 16),
('10e94e593491', 0, 11, 0, 6),
('10e94e593491', 0, 11, 1, 16);
CREATE VIEW groups AS SELECT NULL::VARCHAR AS run_id, NULL::INTEGER AS line_up, NULL::BIGINT AS deal, NULL::INTEGER AS entrant, NULL::INTEGER AS net_chips WHERE false;
COMMENT ON VIEW groups IS 'one row a deal group and entrant, where the recording level is groups or above';
CREATE VIEW hands AS SELECT NULL::VARCHAR AS run_id, NULL::INTEGER AS line_up, NULL::BIGINT AS deal, NULL::UTINYINT AS rotation, NULL::UTINYINT AS street, NULL::TINYINT AS bring_in_seat, NULL::UTINYINT AS showdown_mask, NULL::UTINYINT AS winner_mask, NULL::UINTEGER AS copies, NULL::INTEGER AS pot_chips, NULL::INTEGER AS rake_chips, NULL::INTEGER AS put_0, NULL::INTEGER AS put_1, NULL::INTEGER AS put_2, NULL::INTEGER AS put_3, NULL::INTEGER AS put_4, NULL::INTEGER AS put_5, NULL::INTEGER AS put_6, NULL::INTEGER AS put_7, NULL::INTEGER AS net_0, NULL::INTEGER AS net_1, NULL::INTEGER AS net_2, NULL::INTEGER AS net_3, NULL::INTEGER AS net_4, NULL::INTEGER AS net_5, NULL::INTEGER AS net_6, NULL::INTEGER AS net_7, NULL::UBIGINT AS cards_0, NULL::UBIGINT AS cards_1, NULL::UBIGINT AS cards_2, NULL::UBIGINT AS cards_3, NULL::UBIGINT AS cards_4, NULL::UBIGINT AS cards_5, NULL::UBIGINT AS cards_6, NULL::UBIGINT AS cards_7 WHERE false;
COMMENT ON VIEW hands IS 'one row a hand, where the recording level is hands or above; absent seats: 0, cards none';
CREATE VIEW actions AS SELECT NULL::VARCHAR AS run_id, NULL::INTEGER AS line_up, NULL::BIGINT AS deal, NULL::UTINYINT AS rotation, NULL::USMALLINT AS n, NULL::UTINYINT AS street, NULL::UTINYINT AS seat, NULL::INTEGER AS entrant, NULL::UTINYINT AS action, NULL::INTEGER AS amount_chips, NULL::INTEGER AS to_chips, NULL::INTEGER AS pot_chips, NULL::UINTEGER AS n_bets, NULL::UTINYINT AS live_mask WHERE false;
COMMENT ON VIEW actions IS 'one row a decision with what all could see, where the recording level is actions';
-- Complete batches of each line-up's contiguous prefix: all that statistics may look at (long hands come back
-- late, so whatever arrived first is not a fair sample). end_group: the first deal after the batch.
CREATE OR REPLACE VIEW batches AS
SELECT g.run_id, g.line_up, l.structure, g.batch, g.entrant, g.n_groups, g.n_hands, g.n_nonzero, g.net_chips, g.net_sq,
       l.big_bet_chips, l.small_bet_chips, least((g.batch + 1) * r.batch_groups, r.deals) AS end_group
FROM group_sums g
JOIN line_ups l USING (run_id, line_up)
JOIN runs r USING (run_id)
WHERE end_group <= l.deals_done;
COMMENT ON VIEW batches IS 'complete batches of group_sums in the prefix that statistics look at';
COMMENT ON COLUMN batches.batch IS 'number of the batch';
COMMENT ON COLUMN batches.n_groups IS 'deals with all their seatings';
COMMENT ON COLUMN batches.n_hands IS 'entrant-hands: hands times copies';
COMMENT ON COLUMN batches.n_nonzero IS 'groups with other than 0 chips won';
COMMENT ON COLUMN batches.net_chips IS 'chips won';
COMMENT ON COLUMN batches.net_sq IS 'chips squared, summed over groups';
COMMENT ON COLUMN batches.end_group IS 'first deal after the batch';
-- One row an entrant: its win rate over its line-ups of a structure, on the batches that all line-ups of it have, so
-- that everybody is compared on the same deals (line-ups stopped by a failing strategy are left out). Line-ups share
-- their deals, so over several of them the error comes from the batch totals (at least 32 batches), else from the sum
-- of the line-ups' own errors, which is enough however they are correlated. One line-up: from its deal groups.
CREATE OR REPLACE VIEW standings AS
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
-- Every entrant against every rival it shared a table with. The difference is paired inside the group, so its error
-- uses the cross products; with h copies-times-rotations of a and k of b the group difference is k x_a - h x_b.
CREATE OR REPLACE VIEW head_to_head AS
WITH pairs AS (
    SELECT run_id, line_up, batch, entrant_a AS a, entrant_b AS b, net_net FROM group_cross
    UNION ALL
    SELECT run_id, line_up, batch, entrant_b, entrant_a, net_net FROM group_cross
), summed AS (
    SELECT p.run_id, p.line_up, x.structure, p.a, p.b, any_value(x.big_bet_chips) AS big_bet_chips,
           sum(x.n_groups)::BIGINT AS groups, sum(x.n_hands)::BIGINT AS hands, sum(y.n_hands)::BIGINT AS rival_hands,
           sum(x.net_chips)::HUGEINT AS net, sum(y.net_chips)::HUGEINT AS rival_net,
           sum(x.net_sq)::HUGEINT AS sq, sum(y.net_sq)::HUGEINT AS rival_sq, sum(p.net_net)::HUGEINT AS net_net
    FROM pairs p
    JOIN batches x ON (x.run_id, x.line_up, x.batch, x.entrant) = (p.run_id, p.line_up, p.batch, p.a)
    JOIN batches y ON (y.run_id, y.line_up, y.batch, y.entrant) = (p.run_id, p.line_up, p.batch, p.b)
    GROUP BY ALL
), weighted AS (
    SELECT *, hands // groups // gcd(hands // groups, rival_hands // groups) AS h,
              rival_hands // groups // gcd(hands // groups, rival_hands // groups) AS k
    FROM summed
), differences AS (
    SELECT *, k * net - h * rival_net AS diff, (k * k * sq + h * h * rival_sq - 2 * h * k * net_net)::DOUBLE AS diff_sq,
              k * hands AS scale  -- diff / scale: chips a hand
    FROM weighted
), spreads AS (
    SELECT *, diff_sq - diff::DOUBLE * diff::DOUBLE / groups AS spread FROM differences
), rated AS (
    SELECT *, diff::DOUBLE / scale AS chips_hand,
           CASE WHEN groups > 1 AND spread > 1e-12 * diff_sq THEN sqrt(spread / (groups - 1) / groups) * groups / scale END AS se
    FROM spreads
)
SELECT r.run_id, structure, ea.name AS entrant, eb.name AS rival, hands, groups,
       100 * net::DOUBLE / hands / big_bet_chips AS bb100,
       100 * chips_hand / big_bet_chips AS diff_bb100,
       100 * se / big_bet_chips AS se_bb100,
       100 * (chips_hand - 1.959963984540054 * se) / big_bet_chips AS lo_bb100,
       100 * (chips_hand + 1.959963984540054 * se) / big_bet_chips AS hi_bb100
FROM rated r
JOIN entrants ea ON (ea.run_id, ea.entrant) = (r.run_id, r.a)
JOIN entrants eb ON (eb.run_id, eb.entrant) = (r.run_id, r.b)
ORDER BY r.run_id, structure, entrant, rival;
COMMENT ON VIEW head_to_head IS 'every entrant against every rival of its tables; se, lo and hi belong to diff_bb100, the difference on the same deals (two seats: twice bb100)';
COMMENT ON COLUMN head_to_head.hands IS 'hands of the entrant at tables with the rival, one a copy';
COMMENT ON COLUMN head_to_head.groups IS 'deals with all their seatings';
COMMENT ON COLUMN head_to_head.bb100 IS 'big bets won per 100 hands of the entrant';
COMMENT ON COLUMN head_to_head.diff_bb100 IS 'the entrant''s less the rival''s, on the same deals';
COMMENT ON COLUMN head_to_head.se_bb100 IS 'standard error of diff_bb100; NULL where nothing varied';
COMMENT ON COLUMN head_to_head.lo_bb100 IS 'lower end of the 95% interval of diff_bb100';
COMMENT ON COLUMN head_to_head.hi_bb100 IS 'upper end of the 95% interval of diff_bb100';
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
           count(*) OVER (PARTITION BY run_id, structure, entrant) AS n_all_batches,
           (sum(n_groups) OVER batches_so_far)::BIGINT AS deals, (sum(n_hands) OVER batches_so_far)::BIGINT AS hands,
           sum(net_chips) OVER batches_so_far AS net,
           sum(net_chips::DOUBLE ^ 2 / n_groups) OVER batches_so_far AS sq, sq - net::DOUBLE ^ 2 / deals AS spread,
           CASE WHEN spread > 1e-12 * sq THEN sqrt(spread / (n_batches - 1) * deals) ELSE 0 END AS batch_error
    FROM by_batch
    WINDOW batches_so_far AS (PARTITION BY run_id, structure, entrant ORDER BY batch)
), of_groups AS (  -- counts where there is one line-up, or as long as there are few batches
    SELECT c.run_id, c.structure, c.entrant, c.batch, c.line_up, sum(c.n_groups) OVER line_up_so_far AS n,
           sum(c.net_sq::DOUBLE) OVER line_up_so_far AS group_sq,
           group_sq - (sum(c.net_chips) OVER line_up_so_far)::DOUBLE ^ 2 / n AS group_spread
    FROM common c
    JOIN so_far s USING (run_id, structure, entrant, batch)
    WHERE s.n_line_ups = 1 OR s.n_batches < 32
    WINDOW line_up_so_far AS (PARTITION BY c.run_id, c.line_up, c.entrant ORDER BY c.batch)
), line_up_errors AS (
    SELECT run_id, structure, entrant, batch,
           sum(sqrt(CASE WHEN group_spread > 1e-12 * group_sq THEN group_spread / (n - 1) * n ELSE 0 END)
               ORDER BY line_up) AS line_up_error
    FROM of_groups GROUP BY run_id, structure, entrant, batch
), rated AS (
    SELECT s.*, net::DOUBLE / hands AS chips_hand, nullif(coalesce(line_up_error, batch_error), 0) / hands AS se
    FROM so_far s LEFT JOIN line_up_errors USING (run_id, structure, entrant, batch)
    WHERE n_batches * 200 // n_all_batches > (n_batches - 1) * 200 // n_all_batches
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
-- Committed chunks only: seconds of tries that failed are in wall_s, not in cpu_s.
CREATE OR REPLACE VIEW cost AS
WITH played AS (
    SELECT run_id, sum(n_hands)::BIGINT AS hands, sum(n_decisions)::BIGINT AS decisions,
           sum(cpu_s ORDER BY line_up, first_group) AS cpu_s
    FROM chunks GROUP BY run_id
), failed AS (
    -- an error with an entrant is the strategy's and not tried again; nor is what was given up for good
    SELECT run_id, count(*) FILTER (outcome IN ('error', 'timeout', 'worker_lost') AND entrant < 0)
                   - count(*) FILTER (outcome = 'quarantined') AS n_retries
    FROM failures GROUP BY run_id
)
SELECT run_id, coalesce(hands, 0) AS hands, coalesce(decisions, 0) AS decisions, coalesce(p.cpu_s, 0) AS cpu_s,
       r.wall_s, hands / nullif(p.cpu_s, 0) AS hands_per_cpu_s, coalesce(n_retries, 0) AS n_retries
FROM runs r
LEFT JOIN played p USING (run_id)
LEFT JOIN failed USING (run_id)
ORDER BY run_id;
COMMENT ON VIEW cost IS 'what every run took';
COMMENT ON COLUMN cost.hands IS 'hands played';
COMMENT ON COLUMN cost.decisions IS 'decisions asked of strategies';
COMMENT ON COLUMN cost.cpu_s IS 'seconds of CPU the workers took for the committed chunks';
COMMENT ON COLUMN cost.wall_s IS 'seconds from start to end, all attempts; 0 before the first attempt ended';
COMMENT ON COLUMN cost.hands_per_cpu_s IS 'hands a second of CPU';
COMMENT ON COLUMN cost.n_retries IS 'chunks played again because their worker was lost, failed or took too long';
-- Third street has every hand: its rows hold the chips of whole hands. Like all views of counters this looks at all
-- that is committed, also where a running line-up is ahead of the others; standings does not.
CREATE OR REPLACE VIEW by_seat AS
SELECT b.run_id, l.structure, e.name AS entrant, b.seat, sum(b.n_seen)::BIGINT AS hands,
       100 * sum(b.net_chips)::DOUBLE / hands / any_value(l.big_bet_chips) AS bb100
FROM behaviour b
JOIN line_ups l USING (run_id, line_up)
JOIN entrants e ON (e.run_id, e.entrant) = (b.run_id, b.entrant)
WHERE b.street = 3
GROUP BY b.run_id, l.structure, e.name, b.seat
ORDER BY b.run_id, l.structure, entrant, b.seat;
COMMENT ON VIEW by_seat IS 'win rate of every entrant in every seat, over all line-ups';
COMMENT ON COLUMN by_seat.hands IS 'entrant-hands dealt there: one a copy';
COMMENT ON COLUMN by_seat.bb100 IS 'big bets won per 100 hands';
-- Where the bring-in falls is luck of the door cards, so hands of a position are no fair sample of hands: position 0
-- holds high door cards. Compare entrants within a position, not positions of an entrant.
CREATE OR REPLACE VIEW by_position AS
SELECT p.run_id, l.structure, e.name AS entrant, p.position, sum(p.n_hands)::BIGINT AS hands,
       sum(p.n_played)::DOUBLE / hands AS played,
       100 * sum(p.net_chips)::DOUBLE / hands / any_value(l.big_bet_chips) AS bb100
FROM positions p
JOIN line_ups l USING (run_id, line_up)
JOIN entrants e ON (e.run_id, e.entrant) = (p.run_id, p.entrant)
GROUP BY p.run_id, l.structure, e.name, p.position
ORDER BY p.run_id, l.structure, entrant, p.position;
COMMENT ON VIEW by_position IS 'win rate of every entrant by place from the bring-in, over all line-ups';
COMMENT ON COLUMN by_position.position IS 'seats clockwise from the one that owed the bring-in: 0 = owed it, -1 = nobody owed it';
COMMENT ON COLUMN by_position.hands IS 'entrant-hands dealt there: one a copy';
COMMENT ON COLUMN by_position.played IS 'share of hands not folded on third street';
COMMENT ON COLUMN by_position.bb100 IS 'big bets won per 100 hands';
-- Shares are of the decisions of the street, so fold + check + call + bet + raise = 1; check is a word of SQL and must
-- be quoted when it is asked for by name. aggression leaves folds and checks out: it is about decisions that put in chips.
CREATE OR REPLACE VIEW by_street AS
WITH summed AS (
    SELECT b.run_id, l.structure, e.name AS entrant, b.street, sum(n_seen)::BIGINT AS n_seen,
           sum(n_fold + n_check + n_call + n_raise)::DOUBLE AS n, sum(n_fold) AS folds, sum(n_check) AS checks,
           sum(n_call) AS calls, sum(n_bet) AS bets, sum(n_raise) AS bets_and_raises, sum(n_showdown) AS showdowns,
           sum(n_won) AS wins, sum(n_showdown_won) AS showdowns_won
    FROM behaviour b
    JOIN line_ups l USING (run_id, line_up)
    JOIN entrants e ON (e.run_id, e.entrant) = (b.run_id, b.entrant)
    GROUP BY b.run_id, l.structure, e.name, b.street
)
SELECT run_id, structure, entrant, street, n_seen, folds / nullif(n, 0) AS fold, checks / nullif(n, 0) AS "check",
       calls / nullif(n, 0) AS call, bets / nullif(n, 0) AS bet, (bets_and_raises - bets) / nullif(n, 0) AS raise,
       bets_and_raises / nullif(bets_and_raises + calls, 0)::DOUBLE AS aggression,
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
COMMENT ON COLUMN by_street.aggression IS 'bets and raises as a share of bets, raises and calls';
COMMENT ON COLUMN by_street.showdown IS 'share of n_seen that got to a showdown';
COMMENT ON COLUMN by_street.won IS 'share of n_seen that won a pot or a part of one';
COMMENT ON COLUMN by_street.showdown_won IS 'share of those showdowns that won a pot or a part of one';
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
-- The first three cards as records numbers them (door_class: door card x pair of downcards) and by their three ranks
-- alone (class). A multiset x <= y <= z of ranks (0 = ace .. 12 = king) has the number
-- z (z + 1) (z + 2) / 6 + y (y + 1) / 2 + x, 0 .. 454. Labels put the ace first, in deuce-to-seven too.
CREATE OR REPLACE VIEW start_classes AS
WITH pairs AS (
    SELECT door, a, b, door * 91 + b * (b + 1) // 2 + a AS door_class,
           least(door, a) AS x, greatest(least(door, b), a) AS y, greatest(door, b) AS z
    FROM range(13) doors(door), range(13) lows(a), range(13) highs(b)
    WHERE a <= b
)
SELECT door_class::INTEGER AS door_class, (z * (z + 1) * (z + 2) // 6 + y * (y + 1) // 2 + x)::INTEGER AS class,
       concat_ws('', ranks[x + 1], ranks[y + 1], ranks[z + 1]) AS label,
       concat('(', ranks[a + 1], ranks[b + 1], ')', ranks[door + 1]) AS door_label,
       -- the downcards out of four suits each, then the door card out of the suits that are left of its rank
       CASE WHEN a = b THEN 6 ELSE 16 END * (4 - (door = a)::INTEGER - (door = b)::INTEGER) AS combinations
FROM pairs, (SELECT 'A23456789TJQK' AS ranks)
ORDER BY door_class;
COMMENT ON VIEW start_classes IS 'numbers and labels of the first three cards: a row each of the 1183 classes with a door card, which make 455 without';
COMMENT ON COLUMN start_classes.door_class IS 'class of table start_hands';
COMMENT ON COLUMN start_classes.class IS 'number of the three ranks x <= y <= z, 0 = ace: z (z + 1) (z + 2) / 6 + y (y + 1) / 2 + x';
COMMENT ON COLUMN start_classes.label IS 'the three ranks, ace first';
COMMENT ON COLUMN start_classes.door_label IS '(downcards)door card';
COMMENT ON COLUMN start_classes.combinations IS 'ways to be dealt it, of 22,100 x 3';
-- The 455 classes of three ranks, whichever is the door card. No interval: the hands of a class are no independent
-- sample (the seatings of a deal give the same three cards to every seat, and only groups are independent).
CREATE OR REPLACE VIEW by_start_hand AS
WITH big_bets AS (
    SELECT run_id, structure, any_value(big_bet_chips) AS big_bet_chips FROM line_ups GROUP BY run_id, structure
), summed AS (
    SELECT s.run_id, s.structure, e.name AS entrant, c.class AS class, c.label AS label, sum(s.n)::BIGINT AS n,
           sum(s.n_played)::DOUBLE / sum(s.n) AS played, 100 * sum(s.net_chips)::DOUBLE / sum(s.n) AS chips_100
    FROM start_hands s
    JOIN start_classes c ON c.door_class = s.class
    JOIN entrants e USING (run_id, entrant)
    GROUP BY s.run_id, s.structure, e.name, c.class, c.label
)
SELECT run_id, structure, entrant, class, label, n,
       n / sum(n) OVER (PARTITION BY run_id, structure, entrant)::DOUBLE AS share, played,
       chips_100 / big_bet_chips AS bb100
FROM summed JOIN big_bets USING (run_id, structure)
ORDER BY run_id, structure, entrant, class;
COMMENT ON VIEW by_start_hand IS 'win rate of every entrant by the ranks of its first three cards, ace first';
COMMENT ON COLUMN by_start_hand.class IS 'number of the class: see start_classes';
COMMENT ON COLUMN by_start_hand.n IS 'entrant-hands dealt';
COMMENT ON COLUMN by_start_hand.share IS 'share of the entrant''s hands';
COMMENT ON COLUMN by_start_hand.played IS 'share of n not folded on third street';
COMMENT ON COLUMN by_start_hand.bb100 IS 'big bets won per 100 hands of the class; without an interval, because its hands are no independent sample';
-- by_start_hand with the door card told apart: 1183 classes.
CREATE OR REPLACE VIEW start_hands_by_door AS
WITH big_bets AS (
    SELECT run_id, structure, any_value(big_bet_chips) AS big_bet_chips FROM line_ups GROUP BY run_id, structure
), summed AS (
    SELECT s.run_id, s.structure, e.name AS entrant, c.door_class AS class, c.door_label AS label, sum(s.n)::BIGINT AS n,
           sum(s.n_played)::DOUBLE / sum(s.n) AS played, 100 * sum(s.net_chips)::DOUBLE / sum(s.n) AS chips_100
    FROM start_hands s
    JOIN start_classes c ON c.door_class = s.class
    JOIN entrants e USING (run_id, entrant)
    GROUP BY s.run_id, s.structure, e.name, c.door_class, c.door_label
)
SELECT run_id, structure, entrant, class, label, n,
       n / sum(n) OVER (PARTITION BY run_id, structure, entrant)::DOUBLE AS share, played,
       chips_100 / big_bet_chips AS bb100
FROM summed JOIN big_bets USING (run_id, structure)
ORDER BY run_id, structure, entrant, class;
COMMENT ON VIEW start_hands_by_door IS 'win rate of every entrant by its first three cards: (downcards)door card';
COMMENT ON COLUMN start_hands_by_door.class IS 'number of the class: see start_classes';
COMMENT ON COLUMN start_hands_by_door.n IS 'entrant-hands dealt';
COMMENT ON COLUMN start_hands_by_door.share IS 'share of the entrant''s hands';
COMMENT ON COLUMN start_hands_by_door.played IS 'share of n not folded on third street';
COMMENT ON COLUMN start_hands_by_door.bb100 IS 'big bets won per 100 hands of the class; without an interval, because its hands are no independent sample';
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
-- The recorded hands seat by seat, in no order. A CASE for each value reads only the columns that are asked for; UNNEST
-- of lists reads all 24, and takes four times as long. Names, labels and boards are looked up in lists, which costs
-- nothing where they are not asked for; a join is made in any case.
--
-- A board sorts the upcards that a seat had by a street, the better the smaller. First come its equal pairs of cards,
-- 2^14 + 2^rank each: by how ranks repeat, then by the ranks that do. Then 4^rank of each card: by the highest card
-- that differs. Cards not dealt by then have rank 15, in all boards of the street. A seat that had folded has none.
CREATE OR REPLACE MACRO board_of_ranks(a, b, c, d) AS (
    (a = b)::BIGINT * (16384 + (1 << a)) + (a = c)::BIGINT * (16384 + (1 << a)) + (a = d)::BIGINT * (16384 + (1 << a))
    + (b = c)::BIGINT * (16384 + (1 << b)) + (b = d)::BIGINT * (16384 + (1 << b)) + (c = d)::BIGINT * (16384 + (1 << c))
) * 4294967296 + (1::BIGINT << (2 * a)) + (1::BIGINT << (2 * b)) + (1::BIGINT << (2 * c)) + (1::BIGINT << (2 * d));
-- held: cards as in `hands`; boards: by the ranks of four upcards, four bits each; set_bits: ranks of cards not dealt
-- by then, and the game
CREATE OR REPLACE MACRO board(held, street, set_bits, boards) AS
    CASE WHEN (held >> (6 * (street - 1))) & 63 < 63 THEN boards[
        1 + (((held >> 14) & 15) | ((held >> 16) & 240) | ((held >> 18) & 3840) | ((held >> 20) & 61440) | set_bits)] END;
CREATE OR REPLACE MACRO card_text(held, k) AS substr(
    ' Ac Ad Ah As 2c 2d 2h 2s 3c 3d 3h 3s 4c 4d 4h 4s 5c 5d 5h 5s 6c 6d 6h 6s 7c 7d 7h 7s 8c 8d 8h 8s 9c 9d 9h 9s'
    || ' Tc Td Th Ts Jc Jd Jh Js Qc Qd Qh Qs Kc Kd Kh Ks', 3 * ((held >> (6 * k)) & 63) + 1, 3);
CREATE OR REPLACE VIEW hand_seats AS
WITH places AS (
    SELECT run_id, line_up, structure, l.big_bet_chips, unnest(range(len(l.entrants))) AS seat,
           len(l.entrants) AS n_seats, (game = 'deuce_to_seven_razz')::INTEGER << 16 AS game_bit,
           (sum(len(l.entrants)) OVER (ORDER BY run_id, line_up) - len(l.entrants))::INTEGER AS n_names_before
    FROM line_ups l JOIN runs USING (run_id)
), copies AS (
    SELECT run_id, line_up, unnest(range(len(l.entrants))) AS copy, unnest(l.entrants) AS entrant FROM line_ups l
), all_names AS (
    SELECT list(e.name ORDER BY run_id, c.line_up, c.copy) AS names
    FROM copies c JOIN entrants e USING (run_id, entrant)
), all_labels AS (
    SELECT list(substr('A23456789TJQK   ', least(a, b, c) + 1, 1)
                || substr('A23456789TJQK   ', a + b + c - least(a, b, c) - greatest(a, b, c) + 1, 1)
                || substr('A23456789TJQK   ', greatest(a, b, c) + 1, 1) ORDER BY i) AS labels
    FROM (SELECT i, i & 15 AS a, (i >> 4) & 15 AS b, i >> 8 AS c FROM range(4096) numbers(i))
), all_boards AS (
    -- the second half is for deuce-to-seven, where an ace is the highest card
    SELECT list(board_of_ranks(a, b, c, d) ORDER BY i) AS boards
    FROM (
        SELECT i, CASE WHEN i & 15 = ace THEN 13 ELSE i & 15 END AS a,
               CASE WHEN (i >> 4) & 15 = ace THEN 13 ELSE (i >> 4) & 15 END AS b,
               CASE WHEN (i >> 8) & 15 = ace THEN 13 ELSE (i >> 8) & 15 END AS c,
               CASE WHEN (i >> 12) & 15 = ace THEN 13 ELSE (i >> 12) & 15 END AS d
        FROM (SELECT i, CASE WHEN i < 65536 THEN -1 ELSE 0 END AS ace FROM range(131072) numbers(i))
    )
), seats AS (
    SELECT h.* EXCLUDE (street), p.* EXCLUDE (run_id, line_up), (h.copies::BIGINT >> (4 * p.seat)) & 15 AS copy,
           CASE p.seat WHEN 0 THEN put_0 WHEN 1 THEN put_1 WHEN 2 THEN put_2 WHEN 3 THEN put_3
                       WHEN 4 THEN put_4 WHEN 5 THEN put_5 WHEN 6 THEN put_6 ELSE put_7 END AS put_chips,
           CASE p.seat WHEN 0 THEN net_0 WHEN 1 THEN net_1 WHEN 2 THEN net_2 WHEN 3 THEN net_3
                       WHEN 4 THEN net_4 WHEN 5 THEN net_5 WHEN 6 THEN net_6 ELSE net_7 END AS net_chips,
           CASE p.seat WHEN 0 THEN cards_0 WHEN 1 THEN cards_1 WHEN 2 THEN cards_2 WHEN 3 THEN cards_3
                       WHEN 4 THEN cards_4 WHEN 5 THEN cards_5 WHEN 6 THEN cards_6 ELSE cards_7 END::BIGINT AS held,
           (h.showdown_mask >> p.seat) & 1 = 1 AS showdown, (h.winner_mask >> p.seat) & 1 = 1 AS won
    FROM hands h JOIN places p USING (run_id, line_up)
), dealt AS (
    -- a card is six bits, the last dealt highest, and none is 63: so the packed number tells how many there are
    SELECT *, 7 - (held >= 4329327034368)::TINYINT - (held >= 4396972769280)::TINYINT
                - (held >= 4398029733888)::TINYINT - (held >= 4398046248960)::TINYINT AS street,
           (65536 - (1 << (4 * least(street - 2, 4))::INTEGER)) | game_bit AS set_bits
    FROM seats
)
SELECT run_id, line_up, structure, deal, rotation, seat::TINYINT AS seat, names[1 + n_names_before + copy] AS entrant,
       copy::TINYINT AS copy,
       CASE WHEN bring_in_seat < 0 THEN -1 ELSE (seat - bring_in_seat + n_seats) % n_seats END::TINYINT AS position,
       street,
       concat('(', substr(card_text(held, 0), 2), card_text(held, 1), ')', card_text(held, 2), card_text(held, 3),
              card_text(held, 4), card_text(held, 5),
              CASE WHEN street = 7 THEN ' (' || substr(card_text(held, 6), 2) || ')' END) AS cards,
       labels[1 + (((held >> 2) & 15) | ((held >> 4) & 240) | ((held >> 6) & 3840))] AS label,
       put_chips, net_chips, net_chips / big_bet_chips::DOUBLE AS net_bb, pot_chips, showdown, won,
       -- without a winner (no ante, all folded to the bring-in and got it back) the bring-in is left
       NOT (showdown OR won OR (winner_mask = 0 AND seat = bring_in_seat)) AS folded,
       board(held, street, set_bits, boards) AS board,
       least(CASE WHEN seat <> 0 THEN board(cards_0::BIGINT, street, set_bits, boards) END,
             CASE WHEN seat <> 1 THEN board(cards_1::BIGINT, street, set_bits, boards) END,
             CASE WHEN seat <> 2 THEN board(cards_2::BIGINT, street, set_bits, boards) END,
             CASE WHEN seat <> 3 THEN board(cards_3::BIGINT, street, set_bits, boards) END,
             CASE WHEN seat <> 4 THEN board(cards_4::BIGINT, street, set_bits, boards) END,
             CASE WHEN seat <> 5 THEN board(cards_5::BIGINT, street, set_bits, boards) END,
             CASE WHEN seat <> 6 THEN board(cards_6::BIGINT, street, set_bits, boards) END,
             CASE WHEN seat <> 7 THEN board(cards_7::BIGINT, street, set_bits, boards) END) AS rival_board
FROM dealt, all_names, all_labels, all_boards;
COMMENT ON VIEW hand_seats IS 'one row a seat of the recorded hands (level hands or above), in no order';
COMMENT ON COLUMN hand_seats.entrant IS 'name of the entrant';
COMMENT ON COLUMN hand_seats.copy IS 'copy of the line-up that sat there';
COMMENT ON COLUMN hand_seats.position IS 'seats clockwise from the one that owed the bring-in: 0 = owed it, -1 = nobody owed it';
COMMENT ON COLUMN hand_seats.street IS 'last street that this seat saw: its number of cards';
COMMENT ON COLUMN hand_seats.cards IS 'in the order dealt, downcards in brackets; so is a seventh card that is common to all';
COMMENT ON COLUMN hand_seats.label IS 'ranks of the first three cards, ace first: see by_start_hand';
COMMENT ON COLUMN hand_seats.put_chips IS 'chips it put in and did not get back';
COMMENT ON COLUMN hand_seats.net_chips IS 'chips won or lost';
COMMENT ON COLUMN hand_seats.net_bb IS 'big bets won or lost';
COMMENT ON COLUMN hand_seats.pot_chips IS 'chips in all pots, uncalled bets returned, rake included';
COMMENT ON COLUMN hand_seats.showdown IS 'its cards were compared';
COMMENT ON COLUMN hand_seats.won IS 'it won a pot or a part of one';
COMMENT ON COLUMN hand_seats.folded IS 'it folded, on its last street';
COMMENT ON COLUMN hand_seats.board IS 'its upcards on its last street as a number, smaller = better low; compare within one street only';
COMMENT ON COLUMN hand_seats.rival_board IS 'the best board of the others that had not folded before that street, NULL if all had';
-- The bring-in is the first decision after those that passed it on, and only folds can come before it.
CREATE OR REPLACE VIEW decisions AS
SELECT a.* REPLACE (e.name AS entrant, CASE
           WHEN a.action = 0 THEN 'fold'
           WHEN a.action = 1 AND a.street = 3 AND a.n = len(l.entrants) - bit_count(a.live_mask) THEN 'bring_in'
           WHEN a.action = 1 AND a.amount_chips = 0 THEN 'check'
           WHEN a.action = 1 THEN 'call'
           WHEN a.n_bets > 0 THEN 'raise'
           WHEN a.street = 3 THEN 'complete'
           ELSE 'bet' END AS action)
FROM actions a
JOIN line_ups l USING (run_id, line_up)
JOIN entrants e ON e.run_id = a.run_id AND e.entrant = a.entrant;
COMMENT ON VIEW decisions IS 'actions with words: one row a decision, in no order (level actions)';
COMMENT ON COLUMN decisions.entrant IS 'name of the entrant';
COMMENT ON COLUMN decisions.action IS 'fold, check, call, bet, complete, raise or bring_in';
COMMENT ON COLUMN decisions.amount_chips IS 'chips it put in';
COMMENT ON COLUMN decisions.to_chips IS 'chips of the seat in this street after it';
COMMENT ON COLUMN decisions.pot_chips IS 'chips in the pot before it';
COMMENT ON COLUMN decisions.n_bets IS 'full bets of the street before it';
COMMENT ON COLUMN decisions.live_mask IS 'seats that had not folded, bit 0 = seat 0';
COMMENT ON COLUMN decisions.n IS 'number of the decision in the hand, from 0';
