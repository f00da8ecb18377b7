"""Proves that every wrong input to an experiment gets one line that says where, what stands there and what may.

Each row of a table: a change to a right experiment, and the exact text it must lead to.
"""

import pytest

from razzsim.engine import rules
from razzsim.plan import ConfigError, plan_from_file
from tests.plan.experiments import HEADS_UP, changed, plan_of

TABLE = HEADS_UP[HEADS_UP.index("table:") : HEADS_UP.index("entrants:")]
ENTRANTS = HEADS_UP[HEADS_UP.index("entrants:") : HEADS_UP.index("schedule:")]
CHIPS, SOME_CHIPS = (f"is not allowed: a whole number of chips, {least} to 2,147,483,647" for least in (0, 1))
TABLE_KEYS = "seats, ante, bring_in, small_bet, big_bet, stacks"
KEYS = (
    "keys are name, seed, game, rules, table, structures, entrants, schedule, deals, session, stop, control_variate, "
    "record, on_error, limits, snapshot_s, batch_groups, chunk_groups"
)
STACKS = "whole chips (1 or more) for all seats, a list of one a seat, or deep (covers every bet)"
DEALS, SEED = "a whole number from 1 to 2^48", "a whole number from 0 to 2^63-1"
PLAIN = "(write numbers in plain digits)"
ENTRANT_LIST = "a list of entrants, each with strategy, and if wanted name, params, count"
VALUE = "a number, true, false, or a list of them (a sweep)"
STRATEGY = "a strategy file from this file's folder, path.py:function, or a shipped name"
LEVELS = "sums, groups, hands or actions"
SHIPPED = "a path ending in .py or .yaml, or a shipped strategy: loose, random, station, textbook, thief, tight"
RULES_KEYS = "keys are preset, max_bets, rake, " + ", ".join(rules.CHOICES)
PRESETS = "a preset: " + ", ".join(rules.PRESETS)
NAME, ENTRANT_NAME = "1 to 40 of a-z, 0-9, _ and -", "1 to 40 letters, digits and any of _ . + -"
POWER = "a power of two, 1 to 2^24"


def end(text):
    """A line after the last."""
    return "deals: 100\n", "deals: 100\n" + text + "\n"


def top(text):
    """A line after the first."""
    return "seed: 7\n", "seed: 7\n" + text + "\n"


def of_tight(text):
    """A key of the first entrant."""
    return "- strategy: tight\n", f"- strategy: tight\n    {text}\n"


def of_station(text):
    """A key of the second entrant."""
    return "- strategy: station\n", f"- strategy: station\n    {text}\n"


def structures(text):
    """Named tables instead of the table."""
    return TABLE, "structures:\n" + text


KEY_ERRORS = [
    (("seed: 7", "sede: 7"), f"1:1: sede: is not a key here (did you mean seed?); {KEYS} (and 1 more mistake)"),
    (end("deal: 4"), f"14:1: deal: is not a key here (did you mean deals?); {KEYS}"),
    (end("baseline: tight"), f"14:1: baseline: is not a key here; {KEYS}"),
    (end("event: {structure: x}"), f"14:1: event: is not a key here; {KEYS}"),
    (end("1: 2"), f"14:1: 1: is not a key here; {KEYS}"),
    (end("<<: {name: x}"), f"14:1: <<: is not a key here; {KEYS}"),
    (
        ("  ante: 1\n", "  ante: 1\n  bringin: 3\n"),
        f"5:3: table.bringin: is not a key here (did you mean bring_in?); keys are {TABLE_KEYS}",
    ),
    (
        of_tight("parms: {}"),
        "11:5: entrants[0].parms: is not a key here (did you mean params?); keys are name, strategy, params, count",
    ),
    (of_tight("files: [a]"), "11:5: entrants[0].files: is not a key here; keys are name, strategy, params, count"),
    (
        end("limits: {chunks_s: 3}"),
        "14:10: limits.chunks_s: is not a key here (did you mean chunk_s?); keys are chunk_s, attempts",
    ),
    (
        structures("  a: {seats: 2, ante: 1, bring_in: 1, small_bet: 2, ant: 4}\n"),
        f"3:53: structures.a.ant: is not a key here (did you mean ante?); keys are {TABLE_KEYS}",
    ),
    (top("rules: {max_bet: 5}"), f"2:9: rules.max_bet: is not a key here (did you mean max_bets?); {RULES_KEYS}"),
    (
        of_tight("params: {open_mx: 8}"),
        "11:14: entrants[0].params.open_mx: no such parameter of tight; it has open_max, "
        "reraise_max, made_max (did you mean open_max?)",
    ),
    (
        of_tight("params: {1: 2}"),
        "11:14: entrants[0].params.1: no such parameter of tight; it has open_max, reraise_max, made_max",
    ),
    (end("deals: 100"), "14:1: deals: is there twice, first on line 13: keep one of them"),
    (("  ante: 1\n", "  ante: 1\n  ante: 1\n"), "5:3: table.ante: is there twice, first on line 4: keep one of them"),
    (("seed: 7\n", ""), f"1:1: seed: is missing: {SEED}"),
    (("deals: 100\n", ""), f"1:1: deals: is missing: {DEALS}"),
    (("schedule: heads_up\n", ""), "1:1: schedule: is missing: heads_up, round_robin or table"),
    (("  ante: 1\n", ""), "2:1: table.ante: is missing: a whole number of chips, 0 to 2,147,483,647"),
    (("- strategy: tight", "- name: tight"), f"10:5: entrants[0].strategy: is missing: {STRATEGY}"),
    ((TABLE, ""), f"1:1: table: is missing: a mapping of {TABLE_KEYS} (or several as structures)"),
    (
        end("structures: {a: {seats: 2, ante: 1, bring_in: 1, small_bet: 2}}"),
        "14:1: structures: stands for table: keep one of the two",
    ),
    (("  ante: 1\n", "  ante: 1\n  ? [a]\n  : 3\n"), "5:5: table: a list or mapping as key is not allowed: a word"),
]

NUMBER_ERRORS = [
    *(
        (("deals: 100", f"deals: {text}"), f"13:8: deals: {text} is not allowed: {DEALS}{hint}")
        for text, hint in (
            ("1e6", f" {PLAIN}"),
            ("1.0e+6", f" {PLAIN}"),
            ("1_000", f" {PLAIN}"),
            ("0100", f" {PLAIN}"),
            ("1,000", ""),
            ("5:30", ""),
            ("2026-01-01", ""),
            ("2026-13-45", ""),
            ("0x10", ""),
            ("'100'", ""),
            ("yes", ""),
            ("on", ""),
            ("true", ""),
            ("0", ""),
            ("-3", ""),
            ("100.0", ""),
            ("99999999999999999999", ""),
            (".inf", ""),
            ("many", ""),
        )
    ),
    (("deals: 100", "deals: " + "9" * 5000), f"13:8: deals: {'9' * 57}... is not allowed: {DEALS}"),
    (("deals: 100", "deals:"), f"13:7: deals: is empty: {DEALS}"),
    (("seed: 7", "seed: -1"), f"1:7: seed: -1 is not allowed: {SEED}"),
    (("seed: 7", "seed: 9223372036854775808"), f"1:7: seed: 9223372036854775808 is not allowed: {SEED}"),
    (("seed: 7", "seed: [7]"), f"1:7: seed: a list is not allowed: {SEED}"),
    (("seed: 7", "seed: {a: 7}"), f"1:7: seed: a mapping is not allowed: {SEED}"),
    (("seats: 2", "seats: 9"), "3:10: table.seats: 9 is not allowed: 2 to 8"),
    (("seats: 2", "seats: 1"), "3:10: table.seats: 1 is not allowed: 2 to 8"),
    (("ante: 1", "ante: -1"), f"4:9: table.ante: -1 {CHIPS}"),
    (("ante: 1", "ante: 0.5"), f"4:9: table.ante: 0.5 {CHIPS}"),
    (("bring_in: 2", "bring_in: 0"), f"5:13: table.bring_in: 0 {SOME_CHIPS}"),
    (("bring_in: 2", "bring_in: 5"), "5:13: table.bring_in: 5 is not allowed: 1 to small_bet, 4"),
    (("small_bet: 4", "small_bet: 99999999999"), f"6:14: table.small_bet: 99999999999 {SOME_CHIPS}"),
    (("big_bet: 8", "big_bet: 4"), "7:12: table.big_bet: 4 is not allowed: more than small_bet, 4"),
    (
        ("ante: 1", "ante: 2000000000"),
        "2:1: table: a deal could move 8,000,000,512 chips; at most 2^31: use smaller bets or stacks",
    ),
    (("stacks: deep", "stacks: 0"), f"8:11: table.stacks: 0 is not allowed: {STACKS}"),
    (("stacks: deep", "stacks: deeep"), f"8:11: table.stacks: deeep is not allowed: {STACKS}"),
    (("stacks: deep", "stacks:"), f"8:10: table.stacks: is empty: {STACKS}"),
    (("stacks: deep", "stacks: [100]"), "8:11: table.stacks: a list of 1 for 2 seats: give one a seat"),
    (("stacks: deep", "stacks: [100, x]"), f"8:17: table.stacks[1]: x {SOME_CHIPS}"),
    (end("batch_groups: 48"), f"14:15: batch_groups: 48 is not allowed: {POWER}"),
    (end("batch_groups: 0"), f"14:15: batch_groups: 0 is not allowed: {POWER}"),
    (end("chunk_groups: 3"), f"14:15: chunk_groups: 3 is not allowed: {POWER}"),
    (end("batch_groups: 4\nchunk_groups: 8"), "15:15: chunk_groups: 8 is not allowed: at most batch_groups, 4"),
    (end("limits: {chunk_s: .nan}"), "14:19: limits.chunk_s: .nan is not allowed: seconds above 0, at most 86400"),
    (end("snapshot_s: 5s"), "14:13: snapshot_s: 5s is not allowed: seconds from 0.5 to 3600"),
    (end("session: true"), "14:10: session: true is not allowed: 1"),
    (
        top("rules: {max_bets: 0}"),
        "2:19: rules.max_bets: 0 is not allowed: a whole number from 1 to 126, or null for no cap",
    ),
]

CHOICE_ERRORS = [
    (top("game: stud"), "2:7: game: stud is not allowed: razz or deuce_to_seven_razz"),
    (("heads_up", "gauntlet"), "12:11: schedule: gauntlet is not allowed: heads_up, round_robin or table"),
    (end("control_variate: on"), "14:18: control_variate: on is not allowed: false"),
    (end("record: hand"), f"14:9: record: hand is not allowed: {LEVELS}, or a mapping of level and sample"),
    (end("record: {level: hand}"), f"14:17: record.level: hand is not allowed: {LEVELS}"),
    (end("record: {sample: 0.5}"), f"14:1: record.level: is missing: {LEVELS}"),
    (
        end("record: {level: hands, sample: 0}"),
        "14:32: record.sample: 0 is not allowed: a share of the deals, above 0, at most 1",
    ),
    (end("on_error: ignore"), "14:11: on_error: ignore is not allowed: stop_run, stop_line_up or fold"),
    (top("rules: pokerstar"), f"2:8: rules: pokerstar is not allowed: {PRESETS} (did you mean pokerstars?)"),
    (top("rules: {preset: [a]}"), f"2:17: rules.preset: a list is not allowed: {PRESETS}"),
    (
        top("rules: 5"),
        "2:8: rules: 5 is not allowed: a preset such as pokerstars, or a mapping of preset and parameters",
    ),
    (
        top("rules: {odd_chip: low}"),
        "2:19: rules.odd_chip: low is not allowed: one of " + ", ".join(rules.CHOICES["odd_chip"]),
    ),
    (top("name: My Run"), f"2:7: name: My Run is not allowed: {NAME}"),
    (top('name: "a\\nb"'), f"2:7: name: 'a\\nb' is not allowed: {NAME}"),
    (top("name: straße"), f"2:7: name: straße is not allowed: {NAME}"),
    (of_station("name: two words"), f"12:11: entrants[1].name: two words is not allowed: {ENTRANT_NAME}"),
    (of_station("name: tight"), "11:5: entrants[1]: an entrant above is named tight too: give this one a name"),
    (
        ("- strategy: station", "- strategy: tight"),
        "11:5: entrants[1]: an entrant above is named tight too: give this one a name",
    ),
    ((ENTRANTS, "entrants: []\n"), f"9:11: entrants: an empty list is not allowed: {ENTRANT_LIST}"),
    ((ENTRANTS, "entrants: {tight: 2}\n"), f"9:11: entrants: a mapping is not allowed: {ENTRANT_LIST}"),
    (
        (ENTRANTS, "entrants: [tight]\n"),
        "9:12: entrants[0]: tight is not allowed: a mapping of strategy, and if wanted name, params, count",
    ),
    (
        ("- strategy: tight", "- strategy: tigth"),
        f"10:15: entrants[0].strategy: tigth is not allowed: {SHIPPED} (did you mean tight?)",
    ),
    (("- strategy: tight", "- strategy:"), f"10:14: entrants[0].strategy: is empty: {STRATEGY}"),
    (("  - strategy: station\n", ""), "9:1: entrants: 1 entrants; schedule heads_up needs exactly two"),
    (of_station("count: 2"), "9:1: entrants: count is for schedule table; schedule heads_up seats each entrant once"),
    (of_station("count: 9"), "12:12: entrants[1].count: 9 is not allowed: 1 to 8 copies in a table line-up"),
    (
        of_tight("params: [1]"),
        "11:13: entrants[0].params: a list is not allowed: a mapping of the strategy's "
        "parameters to numbers, true, false, or lists of them (a sweep)",
    ),
    *(
        (of_tight(f"params: {{open_max: {text}}}"), f"11:24: entrants[0].params.open_max: {text} is not allowed: {may}")
        for text, may in (
            ("eight", VALUE),
            ("1e1", f"{VALUE} {PLAIN}"),
            (".nan", VALUE),
            (".inf", VALUE),
            ("yes", VALUE),
            ("8.5", "a whole number up to 2^53"),
            ("true", "a whole number up to 2^53"),
            ("99999999999999999999", "a whole number up to 2^53"),
        )
    ),
    (of_tight("params: {open_max: []}"), f"11:24: entrants[0].params.open_max: an empty list is not allowed: {VALUE}"),
    (
        of_tight("params: {open_max: [7, 7]}"),
        "11:28: entrants[0].params.open_max[1]: 7 is not allowed: each value of a sweep once",
    ),
    (
        structures("  Big Ante: {ante: 1, bring_in: 1, small_bet: 2}\n"),
        f"3:3: structures.Big Ante: is not a name: {NAME}",
    ),
    (structures("  a:\n"), f"3:5: structures.a: is empty: a mapping of {TABLE_KEYS}"),
    (
        structures("  a: {seats: 2, ante: 1, bring_in: 3, small_bet: 2}\n"),
        "3:36: structures.a.bring_in: 3 is not allowed: 1 to small_bet, 2",
    ),
    (
        structures(
            "  a: {seats: 2, ante: 1, bring_in: 1, small_bet: 2}\n  b: {seats: 3, ante: 1, bring_in: 1, small_bet: 2}\n"
        ),
        "2:1: structures: all structures need the same number of seats",
    ),
    (("seed: 7", "seed: !!int x"), "1:7: seed: a tag (!) is not allowed: the value alone"),
    (("table:\n", "table: !foo\n"), "2:8: table: a tag (!) is not allowed: the value alone"),
]


@pytest.mark.parametrize(("change", "text"), KEY_ERRORS + NUMBER_ERRORS + CHOICE_ERRORS)
def test_one_wrong_thing(change, text, tmp_path):
    _expect(changed(change), text, tmp_path)


def _expect(experiment, text, folder):
    with pytest.raises(ConfigError) as raised:
        plan_of(experiment, folder)
    assert str(raised.value) == f"x.yaml:{text}"


def test_counts_and_seats_of_a_schedule(tmp_path):
    counts = "2 + station 1): make them equal"
    _expect(
        changed(("heads_up", "table"), of_tight("count: 2")),
        f"3:10: table.seats: 2 seats, but the counts add up to 3 (tight {counts}",
        tmp_path,
    )
    six = ("seats: 2", "seats: 6")
    _expect(
        changed(six, ("heads_up", "round_robin")), "3:10: table.seats: 6 seats; schedule round_robin needs 2", tmp_path
    )
    three = of_station("name: s2\n  - strategy: thief")
    _expect(
        changed(three),
        "9:1: entrants: 3 entrants; schedule heads_up needs exactly two; for more use round_robin",
        tmp_path,
    )


def test_deep_needs_a_cap(tmp_path):
    text = "whole chips, for these rules have rounds without a cap (max_bets, heads_up_cap)"
    heads_up = "{heads_up_cap: uncapped_if_round_starts_heads_up}"
    for uncapped in ("{max_bets: null}", heads_up):
        experiment = changed(top(f"rules: {uncapped}"))
        _expect(experiment, f"9:11: table.stacks: deep is not allowed: {text}", tmp_path)
        _expect(experiment.replace("  stacks: deep\n", ""), f"3:1: table.stacks: deep is not allowed: {text}", tmp_path)
        most = "3:1: table: a deal could move 8,000,000,000 chips; at most 2^31: use smaller bets or stacks"
        _expect(experiment.replace("deep", "2000000000"), most, tmp_path)
    assert plan_of(changed(top("rules: {max_bets: null}"), ("stacks: deep", "stacks: 4000")), tmp_path)


def test_the_first_of_several_and_their_number(tmp_path):
    text = changed(("seed: 7", "seed: x"), ("deals: 100", "deals: x"), ("ante: 1", "ante: x"))
    _expect(text, f"1:7: seed: x is not allowed: {SEED} (and 2 more mistakes)", tmp_path)


def test_a_sweep_too_wide_is_refused_before_it_is_made(tmp_path):
    values = "[" + ", ".join(map(str, range(1000))) + "]"
    params = f"params: {{open_max: {values}, reraise_max: {values}, made_max: {values}}}"
    _expect(
        changed(of_tight(params)), "11:13: entrants[0].params: make 1,000,000,000 entrants; at most 1,000", tmp_path
    )


NOT_YAML = {
    "": "1:1: the file is empty: an experiment is a mapping of keys such as seed and entrants",
    "# only a remark\n": "1:1: the file is empty: an experiment is a mapping of keys such as seed and entrants",
    "- a\n- b\n": "1:1: this is not allowed: an experiment is a mapping of keys such as seed and entrants",
    "hello\n": "1:1: this is not allowed: an experiment is a mapping of keys such as seed and entrants",
    "seed: 7\ntable:\n\tseats: 2\n": "3:1: is not YAML: a tab stands where only spaces may",
    "seed: 7\n  deals: 3\n": "2:8: is not YAML: a second colon in one line, or a wrong indentation",
    "seed: [1, 2\ndeals: 3": "2:6: is not YAML: while parsing a flow sequence, expected ',' or ']', but got ':'",
    "a: 1\n---\na: 2\n": "2:1: is not YAML: expected a single document in the stream, but found another document",
    "seed: 7\nname: x\0\n": "2:8: is not YAML: no character 0 in it",
    "seed: *a\n": "1:7: is not YAML: found undefined alias 'a'",
    "seed: &a {b: *a}\n": "1:1: is not allowed: nested too deeply",
    "entrants: &a [*a, *a]\n": "1:1: is not allowed: nested too deeply",
    "seed: " + "[" * 5000 + "]" * 5000: "1:1: is not allowed: nested too deeply",
    "a: &a [x,x,x,x,x,x,x,x,x]\n"
    + "".join(f"{b}: &{b} [{','.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)):
    "1:1: is not allowed: more than 100,000 values",
}  # fmt: skip


@pytest.mark.parametrize("text", NOT_YAML, ids=range(len(NOT_YAML)))
def test_not_an_experiment_at_all(text, tmp_path):
    _expect(text, NOT_YAML[text], tmp_path)


def test_windows_line_ends_and_a_byte_order_mark_are_fine(tmp_path):
    file = tmp_path / "windows.yaml"
    file.write_bytes(b"\xef\xbb\xbf" + HEADS_UP.replace("\n", "\r\n").encode())
    assert plan_from_file(file).fingerprint == plan_of(HEADS_UP, tmp_path).fingerprint


def test_an_alias_stands_for_what_it_names(tmp_path):
    text = changed(("seats: 2", "seats: &two 2"), ("bring_in: 2", "bring_in: *two"))
    assert plan_of(text, tmp_path).fingerprint == plan_of(HEADS_UP, tmp_path).fingerprint


def test_files_that_cannot_be_read(tmp_path):
    for path, text in (
        (tmp_path / "no.yaml", "cannot be read: no such file or directory"),
        (tmp_path, "cannot be read: is a directory"),
    ):
        with pytest.raises(ConfigError) as raised:
            plan_from_file(path)
        assert str(raised.value) == f"{path}: {text}"
    (tmp_path / "latin.yaml").write_bytes(b"name: caf\xe9\n")
    with pytest.raises(ConfigError, match=r"latin.yaml: is not UTF-8 text \(byte 9\)$"):
        plan_from_file(tmp_path / "latin.yaml")


def test_a_file_name_that_cannot_name_the_run(tmp_path):
    with pytest.raises(ConfigError) as raised:
        plan_of(HEADS_UP, tmp_path, stem="My Run")
    assert str(raised.value) == (
        "x.yaml:1:1: name: the file's name 'My Run' cannot be one: add name: of a-z, 0-9, _ and -"
    )
