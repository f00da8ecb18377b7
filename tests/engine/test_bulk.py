"""The kernel's sums equal a recount that plays every hand by itself; failing strategies stop or fold as asked.

Authority: razzsim.engine.hand.Hand (proven against the reference) with decks, seating and dice of the same streams,
Python's own integers for squares and products (G6: whole chips, never rounded), and F-faults G1: a deal's cards
depend on its id alone.
"""

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numba import njit

from razzsim.engine import bulk, streams
from razzsim.engine.entries import STRATEGY_SIGNATURE
from razzsim.engine.hand import Hand, deck, dice
from razzsim.engine.rules import rules_of, rules_record
from razzsim.engine.state import ILLEGAL_ACTION, MAX_SEATS, OK, STRATEGY_RAISED, table_record

FOLD, CALL, RAISE = 0, 1, 2
SEED, DOMAIN = (1 << 61) + 99, 3
RULES = rules_record(rules_of("wsop"))


@njit(STRATEGY_SIGNATURE, cache=True)
def by_dice(me: Any, table: Any) -> int:
    """Each action as its dice say, folds more rarely; it looks at the seat's own decision number as well."""
    pick = int(me.dice >> np.uint64(7)) % 7 + (me.decision & 1)
    action = FOLD if pick == 0 else CALL if pick < 4 else RAISE
    return action if me.legal_mask >> action & 1 else CALL


@njit(STRATEGY_SIGNATURE, cache=True)
def raiser(me: Any, table: Any) -> int:
    """Raises whenever it may, but for every 16th state of what it can see of the past, read to the last byte."""
    seen = 0
    for row in range(5):
        seen += 7 * table.n_history[row]
        for k in range(64):
            seen += table.history[row, k]
    for seat in range(8):
        seen += 11 * table.n_up[seat] + table.up_rank_mask[seat] + table.street_chips[seat]
        for k in range(4):
            seen += table.up[seat, k]
    return RAISE if me.legal_mask >> RAISE & 1 and seen % 16 else CALL


@njit(STRATEGY_SIGNATURE, cache=True)
def wrong(me: Any, table: Any) -> int:
    """But for fourth street: no action at all with some cards, an error with others."""
    if table.street != 4 and me.cards[table.street - 1] % 4 == 0:
        return 7
    if table.street != 4 and me.cards[table.street - 1] % 4 == 1:
        raise ValueError("on purpose")
    return CALL


def fails(me: Any, table: Any) -> bool:
    return bool(table["street"] != 4 and me["cards"][table["street"] - 1] % 4 < 2)


def player(strategies: list[Any], entrant_of: list[int], **work_of: Any) -> bulk.GroupPlayer:
    """A table of these copies; work_of: fields of the work record, scale multiplies all chips."""
    n, scale = len(strategies), work_of.pop("scale", 1)
    work = np.zeros(1, bulk.WORK_DTYPE)
    work["seed"], work["domain"], work["n_rotations"], work["n_entrants"] = SEED, DOMAIN, n, max(entrant_of) + 1
    work["entrant_of"][0, :n] = entrant_of
    work["wants_dice"][0, :n] = [strategy is by_dice for strategy in strategies]
    work["start_chips"][0, :n] = [scale * chips for chips in (333, 47, 212, 1_000, 6, 90, 25, 500)[:n]]
    for name, value in work_of.items():
        work[name] = value
    table = table_record(scale, 5 * scale, 20 * scale, 40 * scale, n)
    return bulk.GroupPlayer(RULES, table, strategies, np.zeros((n, 16)), work)


def recount(
    game: bulk.GroupPlayer, strategies: list[Any], deals: range
) -> tuple[list[list[int]], list[int], Counter[str]]:
    """By place: hands, groups not zero, net, squares; products of pairs; decisions and faults. Python's integers."""
    work, n = game.work[0], len(strategies)
    places = [int(place) for place in work["entrant_of"][:n]]
    totals = [[0, 0, 0, 0] for _ in range(int(work["n_entrants"]))]
    pairs = list(combinations(range(len(totals)), 2))
    products, seen = [0] * len(pairs), Counter[str]()
    for deal in deals:
        order = np.arange(n)
        if work["shuffled"]:
            streams.shuffle_nb(SEED, DOMAIN, streams.SEATING, deal, order, n)
        net = [0] * len(totals)
        for rotation in range(n):
            copies = [int(order[(seat + rotation) % n]) for seat in range(n)]
            hand = play_hand(game, [strategies[copy] for copy in copies], deal, seen)
            for seat, copy in enumerate(copies):
                net[places[copy]] += hand.net[seat]
                totals[places[copy]][0] += 1
        for total, x in zip(totals, net, strict=True):
            total[1:] = [total[1] + (x != 0), total[2] + x, total[3] + x * x]
        products = [sum_ + net[a] * net[b] for sum_, (a, b) in zip(products, pairs, strict=True)]
    return totals, products, seen


def play_hand(game: bulk.GroupPlayer, holders: list[Any], deal: int, seen: Counter[str]) -> Hand:
    """One hand of the recount; the strategies' own Python."""
    table, n = game.table.copy(), len(holders)
    table["button"] = deal % n if game.work["button_rotates"][0] else -1
    hand = Hand(RULES, table, game.work["start_chips"][0, :n], deck(SEED, deal, DOMAIN))
    while not hand.is_over:
        if hand.street_is_over:
            hand.deal()
            continue
        seat = hand.actor or 0
        me, strategy = hand.me(seat), holders[seat]
        street = int(hand.table["street"])
        me["dice"] = dice(SEED, deal, seat, street, int(me["decision"]), DOMAIN) if strategy is by_dice else 0
        seen["decisions"] += 1
        if strategy is wrong and fails(me, hand.table):
            seen["faults"] += 1
            hand.apply(FOLD if FOLD in hand.legal else CALL)
        else:
            hand.apply(int(strategy(me, hand.table)))
    hand.settle()
    return hand


@pytest.mark.parametrize(
    ("strategies", "entrant_of", "work_of"),
    [
        ([by_dice, raiser], [0, 1], {"shuffled": 1}),
        ([by_dice, raiser, by_dice], [0, 1, 0], {"shuffled": 0, "button_rotates": 1}),
        ([by_dice, raiser], [0, 1], {"scale": 20_000_000}),  # nets of up to 1.9 x 10^9
        ([by_dice, by_dice, raiser, raiser, wrong, by_dice], [0, 1, 2, 2, 3, 0], {"shuffled": 1, "fold_on_error": 1}),
        ([by_dice] * 7 + [raiser], [0, 1, 2, 3, 0, 1, 2, 2], {"shuffled": 1, "button_rotates": 1}),
    ],
)
def test_G6_sums_equal_a_recount(strategies: list[Any], entrant_of: list[int], work_of: dict[str, Any]) -> None:
    game = player(strategies, entrant_of, **work_of)
    first, deals = (1 << 33) + 5, 80 // len(strategies)  # both words of the counter
    code, sums, cross = game.play(first, deals)
    assert code == OK
    totals, products, seen = recount(game, strategies, range(first, first + deals))
    exact = [[*map(int, row[:3]), (int(row[3]) << bulk.WORD_BITS) + int(row[4])] for row in sums]
    assert exact == totals
    assert [(int(high) << bulk.WORD_BITS) + int(low) for high, low in cross] == products
    assert int(game.work["n_hands"][0]) == deals * len(strategies)
    assert int(game.work["n_decisions"][0]) == seen["decisions"]
    faults = [0] * MAX_SEATS
    if wrong in strategies:
        faults[entrant_of[strategies.index(wrong)]] = seen["faults"]
        assert seen["faults"] > 20
    assert game.work["n_faults"][0].tolist() == faults
    assert any(total[2] for total in totals)
    if "scale" in work_of:
        assert all(total[3] > 1 << 62 for total in totals), "the low word has carried"


def test_stopping_and_folding_on_a_failing_strategy() -> None:
    """Stopping: the code, the action and the deal as they stood. Folding: failures by entrant, the play goes on."""
    codes = set()
    for first in range(40):
        game = player([by_dice, wrong, raiser], [0, 1, 2], start_chips=[500] * MAX_SEATS)
        code, _, _ = game.play(first, 20)
        codes.add(code)
        action = int(game.work["action"][0])
        assert (code, action) in {(ILLEGAL_ACTION, 7), (STRATEGY_RAISED, STRATEGY_RAISED)}
        assert first <= game.work["deal"][0] < first + 20
        assert game.table["street"][0] != 4
        holder = game.work["order"][0, game.work["rotation"][0] + game.hand["actor"][0]]
        assert holder == 1, "the copy that failed is the one to act"
    assert codes == {ILLEGAL_ACTION, STRATEGY_RAISED}
    game = player([by_dice, wrong, raiser], [0, 1, 2], fold_on_error=1)
    assert game.play(0, 200)[0] == OK
    faults = game.work["n_faults"][0].tolist()
    assert faults[1] > 20 and sum(faults) == faults[1]


def test_G1_deals_do_not_depend_on_what_was_played_before() -> None:
    """Chunks of any size add up to the whole."""
    strategies, entrant_of = [by_dice, raiser, by_dice], [0, 1, 0]
    whole = player(strategies, entrant_of, shuffled=1).play(100, 60)[1]
    parts = player(strategies, entrant_of, shuffled=1)
    pieces = [parts.play(first, n)[1] for first, n in ((150, 10), (100, 37), (137, 13))]
    assert np.array_equal(sum(piece[:, :3] for piece in pieces), whole[:, :3])
