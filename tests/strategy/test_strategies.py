"""Proves that the shipped strategies load, compile, decide the same uncompiled, peek at nothing and roll only dice.

The views are those of real six-handed play between them.
"""

import random as standard_random
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from razzsim.engine.hand import Hand, deck
from razzsim.engine.rules import rules_of, rules_record
from razzsim.engine.state import ME_DTYPE, TABLE_DTYPE, table_record
from razzsim.strategy import Strategy, StrategyError
from razzsim.strategy.loader import compiled, load
from razzsim.strategy.source import Source
from tests.strategy.real_play import NAMES, Player, views


@pytest.fixture(scope="module")
def players():
    return [Player(name) for name in NAMES]


@pytest.fixture(scope="module")
def met(players):
    """Several thousand decisions, hundreds of each strategy."""
    return list(views(players, 900))


def test_there_are_four_a_random_one_and_a_chart():
    assert {"random", "tight", "loose", "station", "thief", "textbook"} <= set(NAMES)


def test_each_says_what_it_is(players):
    for player in players:
        assert player.strategy.doc
        if player.source.kind == "chart":
            assert len(player.strategy.doc.split()) >= 15
        else:
            assert len(player.source.text.split('"""')[1].split()) >= 15
            assert all(name in player.strategy.doc for name in player.strategy.params)


@pytest.mark.slow
def test_uncompiled_decides_the_same(met):
    counts = Counter()
    for player, me, table in met:
        action = player.compiled_action(me, table)
        assert action == player.written_action(me, table)
        assert me["legal_mask"][0] >> action & 1
        counts[player.name] += 1
    assert all(counts[name] >= 500 for name in NAMES)
    assert sum(counts.values()) >= 2000


def test_all_actions_are_taken(met):
    taken = {(player.name, player.compiled_action(me, table)) for player, me, table in met}
    assert taken == {(name, action) for name in NAMES for action in range(3)}


def test_nobody_writes_into_a_view(met):
    for player, me, table in met:
        before = me.tobytes(), table.tobytes()
        player.compiled_action(me, table)
        assert (me.tobytes(), table.tobytes()) == before


def test_no_seat_sees_what_is_hidden(players):
    """Other seats' downcards and the undealt cards are exchanged; the view stays the same, so does the action."""
    draw = standard_random.Random(2)
    rules = rules_record(rules_of("pokerstars"))
    for number in range(40):
        slots = deck(12, number)
        seat = number % 6
        visible = {k * 6 + seat for k in range(7)} | {k * 6 + other for k in range(2, 6) for other in range(6)}
        hidden = [slot for slot in range(52) if slot not in visible]
        mixed = list(slots)
        for slot, card in zip(hidden, draw.sample([slots[slot] for slot in hidden], len(hidden)), strict=True):
            mixed[slot] = card
        one, other = (Hand(rules, table_record(3, 5, 20, 40, 6), [2000] * 6, cards) for cards in (slots, mixed))
        while not one.is_over:
            if one.street_is_over:
                one.deal()
                other.deal()
                continue
            assert one.actor == other.actor
            _same(one.table, other.table)
            _same(one.me(seat), other.me(seat))
            player, me = players[(number + one.actor) % len(players)], np.array([one.me(one.actor)])
            me["params"], me["dice"] = player.params, draw.getrandbits(64)
            action = player.compiled_action(me, np.array([one.table]))
            if one.actor == seat:
                theirs = np.array([other.me(seat)])
                theirs["params"], theirs["dice"] = me["params"], me["dice"]
                assert player.compiled_action(theirs, np.array([other.table])) == action
            one.apply(action)
            other.apply(action)


def _same(one, other):
    for name in one.dtype.names:
        assert np.array_equal(one[name], other[name]), name


def test_dice_move_only_those_that_want_them(met):
    draw = np.random.default_rng(4)
    moved = set()
    for player, me, table in met:
        action, rolled = player.compiled_action(me, table), me.copy()
        for _ in range(3):
            rolled["dice"] = draw.integers(0, 1 << 64, dtype=np.uint64)
            if player.compiled_action(rolled, table) != action:
                moved.add(player.name)
        assert player.compiled_action(me, table) == action
    assert moved == {player.name for player, _, _ in met if player.strategy.wants_dice}


def test_random_takes_every_legal_action_alike(met):
    taken, draw = {}, np.random.default_rng(6)
    for player, me, table in met:
        if player.name != "random":
            continue
        mine = me.copy()
        for _ in range(20):
            mine["dice"] = draw.integers(0, 1 << 64, dtype=np.uint64)
            mask = int(me["legal_mask"][0])
            taken.setdefault(mask, Counter())[player.compiled_action(mine, table)] += 1
    assert {0b111, 0b011} <= set(taken)
    for mask, counts in taken.items():
        n, legal = counts.total(), [action for action in range(3) if mask >> action & 1]
        share = 1 / len(legal)
        assert sorted(counts) == legal
        assert all(abs(counts[a] / n - share) < 5 * np.sqrt(share * (1 - share) / n) for a in legal), (mask, counts)


def test_a_file_named_random_shadows_nothing(players):
    assert standard_random is sys.modules["random"]
    assert "strategies" not in (standard_random.__file__ or "")
    assert not [folder for folder in sys.path if folder.endswith("strategies")]
    assert isinstance(next(p for p in players if p.name == "random").strategy, Strategy)


TEXT = """\
from razzsim.strategy import CALL, strategy


@strategy(share=0.5, level=3, bold=True)
def probe(me, table, p):
    return CALL if p.bold and p.level == 3 and p.share == 0.5 else 7
"""


def test_parameters_arrive_with_their_types():
    source = Source("probe", TEXT)
    me, table = np.zeros(1, ME_DTYPE), np.zeros(1, TABLE_DTYPE)
    me["params"][0, :3] = 0.5, 3, 1
    assert compiled(source)(me[0], table[0]) == 1
    me["params"][0, :3] = 0.5, 4, 1
    assert compiled(source)(me[0], table[0]) == 7
    strategy = load(source)
    assert strategy.params_with({"level": 4, "share": 1}) == {"share": 1.0, "level": 4, "bold": True}
    for wrong in ({"level": 1.5}, {"bold": 1}, {"share": True}, {"share": float("nan")}, {"none": 1}):
        with pytest.raises(StrategyError):
            strategy.params_with(wrong)


COUNT_HITS = """
from razzsim.strategy.loader import compiled
from razzsim.strategy.source import Source
stats = compiled(Source("probe", {text!r})).stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


def test_machine_code_is_kept_for_the_next_process(tmp_path):
    """Two processes in turn, the same text, unknown before: the first compiles, the second only loads."""
    script = COUNT_HITS.format(text=TEXT + f"# {tmp_path}\n")
    found = [
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
        for _ in range(2)
    ]
    assert found == [["0", "1"], ["1", "0"]]
    # The same text under another name is another module.
    copied = script.replace("'probe'", "'copied'").replace('"probe"', '"copied"')
    assert copied != script
    done = subprocess.run([sys.executable, "-c", copied], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["0", "1"], done.stderr
