-- A result file of schema version 1, as razzsim made it at commit 1f35de0: tables, a tiny run, views.
CREATE TABLE runs (run_id VARCHAR NOT NULL, name VARCHAR, config VARCHAR, plan VARCHAR, fingerprint VARCHAR, engine_version INTEGER, schema_version INTEGER, razzsim_version VARCHAR, seed BIGINT, game VARCHAR, rules VARCHAR, schedule VARCHAR, seats INTEGER, small_bet_chips BIGINT, big_bet_chips BIGINT, deals BIGINT, batch_groups BIGINT, status VARCHAR, stop_reason VARCHAR, host VARCHAR, versions VARCHAR, attempt INTEGER, cpu_s DOUBLE, wall_s DOUBLE, created_at TIMESTAMP, PRIMARY KEY (run_id));
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
INSERT INTO runs VALUES ('16aa1133b89a', 'old', 'seed: 7
table: {seats: 2, ante: 1, bring_in: 2, small_bet: 4}
entrants:
  - strategy: caller.py
  - strategy: folder.py
schedule: heads_up
deals: 32
batch_groups: 16
chunk_groups: 8
', '{"batch_groups": 16, "chunk_groups": 8, "config": "seed: 7\ntable: {seats: 2, ante: 1, bring_in: 2, small_bet: 4}\nentrants:\n  - strategy: caller.py\n  - strategy: folder.py\nschedule: heads_up\ndeals: 32\nbatch_groups: 16\nchunk_groups: 8\n", "deals": 32, "entrants": [{"count": 1, "kind": "compiled", "name": "caller", "params": {}, "source": {"function": null, "stem": "caller", "text": "\"\"\"Calls.\"\"\"\nfrom razzsim.strategy import CALL, strategy\n\n\n@strategy(declares=(\"deterministic\", \"stateless\"))\ndef caller(me, table, p):\n    return CALL\n"}}, {"count": 1, "kind": "compiled", "name": "folder", "params": {}, "source": {"function": null, "stem": "folder", "text": "\"\"\"Folds.\"\"\"\nfrom razzsim.strategy import features as f, strategy\n\n\n@strategy(declares=(\"deterministic\", \"stateless\"))\ndef folder(me, table, p):\n    return f.check_or_fold(me)\n"}}], "game": "razz", "limits": {"attempts": 3, "chunk_s": 300}, "line_ups": [{"entrants": [0, 1], "number": 0, "rotations": 2, "structure": "table"}], "name": "old", "on_error": "stop_run", "rules": {"checked_showdown": "first_seat", "dealer": "fixed", "deck_exhaustion": "community_card", "displaced_bring_in": "forced", "heads_up_cap": "capped", "max_bets": 4, "odd_chip": "high_card_by_suit", "rake": null, "short_all_in": "half_bet", "short_all_in_counts_to_cap": "half", "short_bring_in": "full", "tied_low_opener": "high_suit"}, "schedule": "heads_up", "seed": 7, "snapshot_s": 5, "structures": {"table": {"ante": 1, "big_bet": 8, "bring_in": 2, "seats": 2, "small_bet": 4, "stacks": [129, 129]}}}', '16aa1133b89a9c62a000f22048d7192fed9644d89da7770369a9df49782701b1', 2, 1, '0.1.0', 7, 'razz', '{"max_bets": 4, "heads_up_cap": "capped", "tied_low_opener": "high_suit", "displaced_bring_in": "forced", "short_bring_in": "full", "short_all_in": "half_bet", "short_all_in_counts_to_cap": "half", "odd_chip": "high_card_by_suit", "deck_exhaustion": "community_card", "checked_showdown": "first_seat", "dealer": "fixed", "rake": null}', 'heads_up', 2, 4, 8, 32, 16, 'complete', 'all deals played', 'host', '{"razzsim": "0.1.0", "ray": "2.60.0", "duckdb": "2.0.1", "numba": "0.68.1", "numpy": "2.4.6", "pyarrow": "26.0.1", "python": "3.11.7", "engine": "2"}', 1, 0.085998803, 41.92608303700035, '2026-11-30 10:06:28.988879');
INSERT INTO entrants VALUES ('16aa1133b89a', 0, 'caller', 'compiled', '"""Calls."""
from razzsim.strategy import CALL, strategy


@strategy(declares=("deterministic", "stateless"))
def caller(me, table, p):
    return CALL
', 'b8be50b5280759b3fa18eabad7d3aba28673f0ace6f856c54957a0c040ce7ebd', '{}');
INSERT INTO entrants VALUES ('16aa1133b89a', 1, 'folder', 'compiled', '"""Folds."""
from razzsim.strategy import features as f, strategy


@strategy(declares=("deterministic", "stateless"))
def folder(me, table, p):
    return f.check_or_fold(me)
', '740025b9d71f142bf82ff74484a446359976402f91c4d856a066dabe3802e386', '{}');
INSERT INTO line_ups VALUES ('16aa1133b89a', 0, 'table', [0, 1], 2, 4, 8, 32, 'complete');
INSERT INTO chunks VALUES ('16aa1133b89a', 0, 0, 8, 16, 96, 0.129893486, 0.085838031, 'host:1', 1, '2026-11-30 10:07:11.350116');
INSERT INTO chunks VALUES ('16aa1133b89a', 0, 8, 8, 16, 96, 0.000221895, 8.9989e-05, 'host:1', 1, '2026-11-30 10:07:11.350116');
INSERT INTO chunks VALUES ('16aa1133b89a', 0, 16, 8, 16, 96, 7.8026e-05, 3.7441e-05, 'host:1', 1, '2026-11-30 10:07:11.350116');
INSERT INTO chunks VALUES ('16aa1133b89a', 0, 24, 8, 16, 96, 6.3288e-05, 3.3342e-05, 'host:1', 1, '2026-11-30 10:07:11.350116');
INSERT INTO group_sums VALUES ('16aa1133b89a', 0, 0, 0, 16, 32, 16, 10, 148);
INSERT INTO group_sums VALUES ('16aa1133b89a', 0, 0, 1, 16, 32, 16, -10, 148);
INSERT INTO group_sums VALUES ('16aa1133b89a', 0, 1, 0, 16, 32, 16, 22, 172);
INSERT INTO group_sums VALUES ('16aa1133b89a', 0, 1, 1, 16, 32, 16, -22, 172);
INSERT INTO group_cross VALUES ('16aa1133b89a', 0, 0, 0, 1, -148);
INSERT INTO group_cross VALUES ('16aa1133b89a', 0, 1, 0, 1, -172);
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
