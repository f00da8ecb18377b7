"""Charts decide what they say: the same as the strategy written in Python, in the shares they name, or one clear line.

Authority: strategies/tight.py, written by hand; the uniform numbers of a decision's dice.
"""

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from razzsim.engine.state import CALL, FOLD, ME_DTYPE, RAISE, TABLE_DTYPE
from razzsim.plan import plan_from_file
from razzsim.plan.plan import Plan
from razzsim.strategy import StrategyError
from razzsim.strategy.chart import ACTIONS, KEYS, STREETS, feature_arguments, fields
from razzsim.strategy.loader import compiled, load
from razzsim.strategy.source import Source, read_source
from tests.cli.conftest import call
from tests.runner.helpers import TABLE, experiment, play, rows
from tests.strategy.real_play import Player, views

ROOT = Path(__file__).parents[2]
TIGHT = ROOT / "tests/data/tight.yaml"


def chart(text: str) -> Source:
    return Source("mine", text, kind="chart")


def test_a_chart_decides_as_the_same_strategy_in_python():
    players = [Player(name) for name in ("tight", "random", "loose", "textbook", "tight")]
    source, tight = read_source(TIGHT), Player("tight")
    entry, written = compiled(source), load(source)
    assert (written.params, written.declares) == (tight.strategy.params, tight.strategy.declares)
    taken = Counter()
    for _, met, table in views(players, 400):
        me = met.copy()
        me["params"] = tight.params
        action = entry(me[0], table[0])
        assert action == tight.compiled_action(me, table)
        assert action == written(me.view(np.recarray)[0], table.view(np.recarray)[0])
        taken[int(table["street"][0]), action] += 1
    assert all(taken[street, action] > 5 for street in STREETS.values() for action in (FOLD, CALL, RAISE))


def decisions(text: str, n: int = 20_000, **params: float) -> Counter[int]:
    """Actions by number on fourth street, where all are legal, for as many dice."""
    source, draw = chart(text), np.random.default_rng(3)
    entry, names = compiled(source), list(load(source).params)
    me, table = np.zeros(1, ME_DTYPE), np.zeros(1, TABLE_DTYPE)
    me["legal_mask"], me["to_call_chips"], table["street"] = 0b111, 20, 4
    for name, value in {**load(source).params, **params}.items():
        me["params"][0, names.index(name)] = value
    taken = Counter()
    for dice in draw.integers(0, 1 << 64, n, dtype=np.uint64):
        me["dice"] = dice
        taken[entry(me[0], table[0])] += 1
    return taken


@pytest.mark.parametrize(
    ("then", "params", "shares"),
    [
        ("{raise: 0.25, call: 0.5, fold: 0.25}", {}, {RAISE: 0.25, CALL: 0.5, FOLD: 0.25}),
        ("{fold: 0.9, call: rest}", {}, {FOLD: 0.9, CALL: 0.1}),
        ("{raise: bluff, fold: rest}", {}, {RAISE: 0.3, FOLD: 0.7}),
        ("{raise: bluff, call: bluff / 2, fold: rest}", {"bluff": 0.6}, {RAISE: 0.6, CALL: 0.3, FOLD: 0.1}),
        ("{call: 1}", {}, {CALL: 1.0}),
        ("{raise: 0, fold: 1}", {}, {FOLD: 1.0}),
    ],
)
def test_a_mix_has_its_shares(then: str, params: dict[str, float], shares: dict[int, float]):
    n = 20_000
    taken = decisions(f"params: {{bluff: 0.3}}\nstreets: {{fourth: [{{else: {then}}}]}}\nelse: call\n", n, **params)
    assert set(taken) == set(shares)
    for action, share in shares.items():
        assert abs(taken[action] / n - share) <= 5 * np.sqrt(share * (1 - share) / n)


def test_the_first_rule_that_holds_decides_and_else_the_rest():
    rules = "{when: n_seats == 9, then: raise}, {when: not n_seats == 9, then: call}, {when: true, then: fold}"
    assert decisions(f"streets: {{fourth: [{rules}]}}\nelse: fold\n", 3) == {CALL: 3}
    assert decisions("streets: {fifth: [{else: raise}]}\nelse: fold\n", 3) == {FOLD: 3}
    assert decisions("streets: {fourth: [{when: n_seats > 1, then: raise}]}\nelse: call\n", 3) == {CALL: 3}


def test_words_of_actions_are_repaired_where_they_are_not_legal():
    """Nobody folds what is free or a bring-in, and a raise that the cap forbids calls."""
    me, table = np.zeros(1, ME_DTYPE), np.zeros(1, TABLE_DTYPE)
    for word, legal, to_call, action in (
        ("fold", 0b111, 0, CALL),
        ("fold", 0b110, 5, CALL),
        ("fold", 0b111, 5, FOLD),
        ("raise", 0b011, 5, CALL),
        ("complete", 0b111, 5, RAISE),
    ):
        me["legal_mask"], me["to_call_chips"] = legal, to_call
        assert compiled(chart(f"else: {word}\n"))(me[0], table[0]) == action


def test_numbers_in_brackets():
    assert decisions("streets: {fourth: [{when: 'street in (4, 5)', then: raise}]}\nelse: fold\n", 3) == {RAISE: 3}
    assert decisions("streets: {fourth: [{when: 'street not in (4, 5)', then: raise}]}\nelse: fold\n", 3) == {FOLD: 3}


@pytest.mark.parametrize("stem", ["f", "class", "CALL", "7up", "x²", "my-chart"])
def test_a_chart_may_have_any_name(stem: str):
    me, table = np.zeros(1, ME_DTYPE), np.zeros(1, TABLE_DTYPE)
    me["legal_mask"] = 0b111
    assert compiled(Source(stem, "else: raise\n", kind="chart"))(me[0], table[0]) == RAISE


def third(rule: str) -> str:
    return f"params: {{open_max: 8}}\nstreets:\n  third:\n    - {rule}\nelse: fold\n"


WRONG = [
    (
        third("{when: n_lo(8) == 3, then: call}"),
        (4, 14),
        "there is no n_lo (did you mean n_low?); features are best_up(",
    ),
    (third('{when: "n_bets == 0 and foo", then: call}'), (4, 31), "there is no foo; features are"),
    (third("{when: n_low == 3, then: call}"), (4, 14), "n_low is not allowed like this: n_low(top)"),
    (third("{when: made_low(1) < 9, then: call}"), (4, 14), "made_low is not allowed like this: made_low()"),
    (third("{when: n_bets == 0 &, then: call}"), (4, 14), "is not an expression"),
    (third("{when: me.seat == 0, then: call}"), (4, 14), "me.seat is not allowed: features, fields"),
    (third("{when: open('x'), then: call}"), (4, 19), "'x' is not allowed"),
    (third('{when: "[s for s in (1, 2)]", then: call}'), (4, 15), "is not allowed: features"),
    (third("{when: 2 ** 99 > seat, then: call}"), (4, 14), "2 ** 99 is not allowed"),
    (third('{when: "n_low(8) == 3, n_bets == 0", then: call}'), (4, 15), "is not allowed: features, fields"),
    (third("{when: [1, 2], then: call}"), (4, 14), "a list is not allowed: an expression, such as"),
    (third("{when: n_bets in 5, then: call}"), (4, 14), "in and not in want numbers in brackets"),
    (third('{when: "n_bets == (1, 2)", then: call}'), (4, 15), "in and not in want numbers in brackets"),
    (third('{when: "n_low((1, 2)) == 3", then: call}'), (4, 21), "(1, 2) is not allowed"),
    (third("{when: 99999999999999999999 > seat, then: call}"), (4, 14), "99999999999999999999 is not allowed"),
    (third(f"{{when: {'not ' * 400} true, then: call}}"), (4, 14), "is longer than 1,000 characters"),
    (third("{when: true, then: {raise: n_bets == 0, fold: rest}}"), (4, 34), "a share is a number"),
    (third("{when: true, then: {raise: open_max or 1, fold: rest}}"), (4, 34), "a share is a number"),
    ("params: {declares: 8}\nelse: fold\n", (1, 10), "is not allowed as the name of a parameter"),
    ("params: []\nelse: fold\n", (1, 9), "an empty list is not allowed: a mapping of names"),
    (
        third("{when: made_low < 9, then: cal}"),
        (4, 34),
        "cal is not allowed: fold, call, raise, bet, complete, or a mix",
    ),
    (third("{when: made_low < 9}"), (4, 7), "is not allowed: when and then, or else alone as the last rule"),
    (third("{else: call}\n    - {when: true, then: fold}"), (4, 7), "else alone as the last rule"),
    (third("{when: true, then: {raise: 0.8, call: 0.1}}"), (4, 26), "shares add up to 0.9: make it 1"),
    (third("{when: true, then: {raise: 1.8, call: rest}}"), (4, 34), "1.8 is not allowed: a share from 0 to 1"),
    (third("{when: true, then: {raise: open_max, call: 0.1}}"), (4, 50), "0.1 is not allowed: rest"),
    (third("{when: true, then: {rase: 1}}"), (4, 27), "is not a key here (did you mean raise?)"),
    ("streets: {thrid: []}\nelse: fold\n", (1, 11), "streets.thrid: is not a key here (did you mean third?)"),
    ("streets: {third: []}\nelse: fold\n", (1, 18), "an empty list is not allowed: a list of rules"),
    ("streets: {}\n", (1, 1), "else: is missing"),
    ("params: {n_low: 8}\nelse: fold\n", (1, 10), "is not allowed as the name of a parameter"),
    ("params: {a: x}\nelse: fold\n", (1, 13), "x is not allowed: a number"),
    ("fold\n", (1, 1), "a chart is a mapping of about, params, streets, else"),
    ("else: [fold\n", (2, 1), "is not YAML"),
]


@pytest.mark.parametrize(("text", "place", "said"), WRONG, ids=[said[:40] for _, _, said in WRONG])
def test_what_is_wrong_is_told_at_its_place(text: str, place: tuple[int, int], said: str):
    with pytest.raises(StrategyError) as raised:
        load(chart(text))
    error = raised.value
    assert ((error.line, error.column), said in str(error)) == (place, True), error


def test_an_experiment_takes_charts_sweeps_their_parameters_and_names_their_mistakes(tmp_path: Path):
    (tmp_path / "mine.yaml").write_text(TIGHT.read_text())
    entrants = [{"strategy": "mine.yaml", "params": {"open_max": [7, 8, 9]}}, {"strategy": "textbook"}]
    config = experiment(tmp_path, entrants=entrants, schedule="round_robin", deals=64)
    plan = plan_from_file(config)
    assert [e.name for e in plan.entrants] == ["mine[open_max=7]", "mine[open_max=8]", "mine[open_max=9]", "textbook"]
    assert {e.kind for e in plan.entrants} == {"chart"}
    assert Plan.from_json(plan.to_json()) == plan
    (tmp_path / "mine.yaml").write_text("else: foldd\n")
    answer = call("validate", config)
    assert answer.code == 2
    said = "entrants[0].strategy: mine.yaml:1:7: else: foldd is not allowed: fold, call, raise, bet, complete, or a mix"
    assert said in answer.error
    assert "did you mean fold?" in answer.error
    (tmp_path / "mine.yaml").write_text("params: {a: 1}\nelse: fold\n")
    assert "no such parameter of mine; it has a" in call("validate", config).error


def test_a_chart_plays_the_deals_of_the_same_strategy_in_python(tmp_path: Path):
    """Against the same rival, on the same deals, to the chip; its text is kept with the run."""
    (tmp_path / "mine.yaml").write_text(TIGHT.read_text())
    found = {}
    for strategy, name in (("mine.yaml", "chart"), ("tight", "python")):
        entrants = [{"strategy": strategy, "name": "one"}, {"strategy": "random"}]
        found[name] = play(experiment(tmp_path, name, entrants=entrants, table=TABLE, deals=400), f"{name}.duckdb").path
    totals = "SELECT entrant, sum(n_hands), sum(net_chips), sum(net_sq) FROM group_sums GROUP BY ALL ORDER BY ALL"
    assert rows(found["chart"], totals) == rows(found["python"], totals)
    kept = "SELECT kind, source FROM entrants WHERE name = 'one'"
    assert rows(found["chart"], kept) == [("chart", TIGHT.read_text())]


def test_the_page_has_every_word():
    page = (ROOT / "docs/strategies.md").read_text()
    told = set(re.findall(r"^\| `([a-z_]+)", page, re.MULTILINE))
    assert told == {*feature_arguments(), *fields()}
    for name, arguments in feature_arguments().items():
        assert f"`{name}({', '.join(arguments)})`" in page or not arguments
    assert all(f"`{word}`" in page for word in (*KEYS, *STREETS, *ACTIONS))
