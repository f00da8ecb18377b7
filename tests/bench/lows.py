"""Lows a second, and the bare look-up that they cannot be faster than."""

from functools import partial

import numpy as np
from numba import njit

from razzsim.engine.games import GAMES
from razzsim.engine.held import hold_card_nb, pack_nb
from razzsim.engine.lows import NEEDS_PAIR, low_nb
from tests.bench.harness import Result, cpu_seconds, result

N_HANDS = 133_784_560
"""All sets of seven cards, C(52, 7)."""


@njit(cache=True)
def _bare_nb(games, masks, out):
    game = games[0]
    for i in range(len(masks)):
        out[i] = game.unpaired_low[masks[i]]


@njit(cache=True)
def _kept_nb(games, masks, held, out):
    game = games[0]
    for i in range(len(masks)):
        out[i] = low_nb(game, masks[i], held[i])


@njit(cache=True)
def _codes_nb(games, hands, out):
    game = games[0]
    for i in range(len(hands)):
        ranks, held = pack_nb(hands[i])
        out[i] = low_nb(game, ranks, held)


@njit(cache=True)
def _bare_codes_nb(games, hands, out):
    game = games[0]
    for i in range(len(hands)):
        ranks = 0
        for k in range(7):
            ranks |= 1 << (hands[i, k] >> 2)
        out[i] = game.unpaired_low[ranks]


@njit(cache=True)
def _pack_nb(hands, masks, held):
    for i in range(len(hands)):
        masks[i], held[i] = pack_nb(hands[i])


@njit(cache=True)
def _enumerate_nb(games, first, end, only_table):
    """The sum of the lows of all hands whose lowest card is in first..end-1, and how many they are."""
    game, total, n = games[0], 0, 0
    held, ranks = np.zeros(7, np.uint64), np.zeros(7, np.int64)
    cards = np.zeros(7, np.int64)
    for lowest in range(first, end):
        cards[0] = lowest
        ranks[0], held[0] = 1 << (lowest >> 2), hold_card_nb(np.uint64(2**64 - 1), 0, lowest)
        level = 1
        cards[1] = lowest
        while level:
            cards[level] += 1
            card = cards[level]
            if card > 45 + level:
                level -= 1
                continue
            if level < 5:
                ranks[level] = ranks[level - 1] | 1 << (card >> 2)
                held[level] = hold_card_nb(held[level - 1], level, card)
                level += 1
                cards[level] = card
                continue
            ranks_5, held_5 = ranks[4] | 1 << (card >> 2), hold_card_nb(held[4], 5, card)
            for last in range(card + 1, 52):
                mask = ranks_5 | 1 << (last >> 2)
                low = np.int64(game.unpaired_low[mask])
                if low == NEEDS_PAIR and not only_table:
                    low = low_nb(game, mask, hold_card_nb(held_5, 6, last))
                total += low
            n += 51 - card
    return total, n


def lows(quick: bool) -> list[Result]:
    """Seven-card lows: the bare look-up, from kept rank masks, from card codes, and of all hands enumerated."""
    generator = np.random.default_rng(1)
    hands = np.array([generator.permutation(52)[:7] for _ in range(20_000)], np.uint8)
    game, out = GAMES["razz"].record, np.zeros(len(hands), np.int64)
    masks, held = np.zeros(len(hands), np.int64), np.zeros(len(hands), np.uint64)
    _pack_nb(hands, masks, held)
    bodies = {
        "the bare look-up, from masks": partial(_bare_nb, game, masks, out),
        "the bare look-up, from card codes": partial(_bare_codes_nb, game, hands, out),
        "from kept rank masks": partial(_kept_nb, game, masks, held, out),
        "from card codes": partial(_codes_nb, game, hands, out),
    }
    n, loops = len(hands), 20 if quick else 100
    takes: dict[str, list[float]] = {name: [] for name in bodies}
    for body in bodies.values():
        body()
    for _ in range(5 if quick else 15):  # interleaved
        for name, body in bodies.items():
            takes[name].append(loops * n / cpu_seconds(lambda body=body: [body() for _ in range(loops)]))
    ratios = {
        name: [b / ours for b, ours in zip(takes[bare], takes[name], strict=True)]
        for bare, name in (
            ("the bare look-up, from masks", "from kept rank masks"),
            ("the bare look-up, from card codes", "from card codes"),
        )
    }
    return [
        *(result("lows", name, rates, "lows/s") for name, rates in takes.items()),
        *(result("lows", f"{name}, over the bare look-up", times, "times") for name, times in ratios.items()),
        *_enumerated(quick),
    ]


def _enumerated(quick: bool) -> list[Result]:
    game, first = GAMES["razz"].record, 12 if quick else 0
    _enumerate_nb(game, 44, 46, False)
    results, n = [], int(_enumerate_nb(game, first, 46, True)[1])
    for name, only_table in (("all hands enumerated", False), ("the same with the bare look-up", True)):
        rates = []
        for _ in range(3):
            seconds = cpu_seconds(lambda only=only_table: _enumerate_nb(game, first, 46, only))
            rates.append(n / seconds)
        results.append(result("lows", name, rates, "lows/s"))
    assert first or n == N_HANDS
    return results
