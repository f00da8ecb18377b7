"""G1, deuce-to-seven lows: every seven-card hand counted, every five-card hand classed, and an independent evaluator.

Authority: the specification's exact counts, the well-known frequencies of five-card poker hands (with A-5-4-3-2 an
ace high instead of a straight), and the reference evaluator, which sorts counts and knows no tables.
"""

import random
from itertools import combinations, pairwise

import numpy as np
import pytest
from numba import njit

from razzsim.engine.cards import parse_cards
from razzsim.engine.games import GAMES
from razzsim.engine.hand import Hand
from razzsim.engine.held import pack_nb
from razzsim.engine.lows import FIRST_OF_CLASS, low_class, low_nb
from razzsim.engine.rules import rules_of, rules_record
from razzsim.engine.state import table_record
from tests.engine.stacked import new
from tests.reference import lows as reference

GAME = GAMES["deuce_to_seven_razz"]


@njit
def lows_of_nb(games, hands, lows):
    for i in range(len(hands)):
        ranks, held = pack_nb(hands[i])
        lows[i] = low_nb(games[0], ranks, held)


@njit
def count_sevens_nb(games, counts):
    """Every seven-card hand, counted by its low."""
    game, cards = games[0], np.zeros(7, np.uint8)
    for a in range(46):
        cards[0] = a
        for b in range(a + 1, 47):
            cards[1] = b
            for c in range(b + 1, 48):
                cards[2] = c
                for d in range(c + 1, 49):
                    cards[3] = d
                    for e in range(d + 1, 50):
                        cards[4] = e
                        for f in range(e + 1, 51):
                            cards[5] = f
                            for g in range(f + 1, 52):
                                cards[6] = g
                                ranks, held = pack_nb(cards)
                                counts[low_nb(game, ranks, held)] += 1


def lows_of(hands: list[tuple[int, ...]]) -> np.ndarray:
    lows = np.zeros(len(hands), np.int64)
    lows_of_nb(GAME.record, np.array(hands, np.uint8), lows)
    return lows


def low(text: str) -> int:
    return int(lows_of([tuple(parse_cards(text))])[0])


@pytest.mark.slow
def test_G1_all_seven_card_hands() -> None:
    counts = np.zeros(FIRST_OF_CLASS[-1] + 13, np.int64)
    count_sevens_nb(GAME.record, counts)
    assert counts.sum() == 133_784_560
    found = np.flatnonzero(counts)
    by_class: dict[str, int] = {}
    by_top: dict[str, int] = {}
    for value in found:
        name = GAME.low_class(int(value))
        by_class[name] = by_class.get(name, 0) + int(counts[value])
        if name == "unpaired":
            top = GAME.low_text(int(value))[0]
            by_top[top] = by_top.get(top, 0) + int(counts[value])
    expected = [2_666_480, 7_187_404, 13_129_988, 19_288_272, 23_906_176, 25_145_080, 21_795_928, 14_235_856]
    assert [by_top[top] for top in "789TJQKA"] == expected
    del by_class["unpaired"]
    assert by_class == {"one pair": 6_202_240, "two pair": 219_648, "flush": 6_864, "full house": 624}
    assert counts[low("7c5d4h3s2c")] == 779_840
    assert len(found) == 5_536


@pytest.mark.slow
def test_G1_all_five_card_hands() -> None:
    lows = lows_of(list(combinations(range(52), 5)))
    assert len(np.unique(lows)) == 7_462
    classes = np.bincount([low_class(int(value)) for value in lows], minlength=9)
    straights, straight_flushes = 9 * 4**5 - 9 * 4, 9 * 4  # deuce to six up to ten to ace
    unpaired, flushes = 1_302_540 + 4**5 - 4, 5_108 + 4
    assert classes.tolist() == [unpaired, 1_098_240, 123_552, 54_912, straights, flushes, 3_744, 624, straight_flushes]


@pytest.mark.parametrize("n_cards", [5, 6, 7])
def test_G1_order_of_an_independent_evaluator(n_cards: int) -> None:
    """Sorting by the engine's numbers and by the reference's keys is the same; many hands of few suits and ranks."""
    draw = random.Random(n_cards)
    few = [card for card in range(52) if card & 3 < 2 or card >> 2 in (0, 1, 2, 3, 4)]
    hands = [tuple(draw.sample(draw.choice([range(52), few]), n_cards)) for _ in range(3_000)]
    keys = [reference.deuce_to_seven(list(hand)) for hand in hands]
    lows = lows_of(hands).tolist()
    ordered = sorted(range(len(hands)), key=lambda i: lows[i])
    for i, j in pairwise(ordered):
        assert (lows[i] == lows[j]) == (keys[i] == keys[j])
        assert keys[i] <= keys[j]


def test_G1_F6_order() -> None:
    """From the best: 75432 and its kin; A5432 an ace high that loses to a king high and beats every pair."""
    best = ["7c5d4h3s2c", "7c6d4h3s2c", "7c6d5h3s2c", "7c6d5h4s2c", "8c5d4h3s2c"]
    rest = ["KcQdJhTs8c", "Ac5d4h3s2c", "2c2d3h4s5c", "6c5d4h3s2c", "7c6d5h4s3c", "7c5c4c3c2c"]
    lows = [low(text) for text in best + rest]
    assert lows == sorted(set(lows))
    assert [GAME.low_class(value) for value in lows[-4:]] == ["one pair", "straight", "straight", "flush"]


def test_G1_bring_in_and_opener_have_the_ace_high() -> None:
    """A real hand: Ah owes the bring-in before Qc. The lowest exposed hand opens, the ace highest in it."""
    hand = new([500, 500, 500], ["7c 8c Qc 2d", "9c 9d Ah 3d", "Th Ts Ks Ad"], game=GAME)
    assert hand.actor == 1
    for _ in range(3):
        hand.apply(1)
    hand.deal()
    assert hand.actor == 0, "Q-2 is lower than A-3 and A-K"


def test_G1_straight_loses_to_a_pair_at_showdown() -> None:
    """Seven cards of which no five avoid a straight or a pair: 2-3-4-5-6-6-6 plays its lowest pair."""
    assert GAME.low_text(low("2c3d4h5s6c6d6h")) == "6-6-4-3-2"
    assert GAMES["razz"].record["unpaired_low"][0, 0b111110] != GAME.record["unpaired_low"][0, 0b111110]
    hand = Hand(rules_record(rules_of("pokerstars")), table_record(1, 2, 4, 8, 2), [3, 3], game=GAME)
    hand.deal({0: parse_cards("2c3d4h"), 1: parse_cards("AsKdQh")})
    while not hand.is_over:
        if hand.street_is_over:
            fresh = {4: ("5s", "Jc"), 5: ("6c", "9c"), 6: ("6d", "8d"), 7: ("6h", "2h")}[int(hand.table["street"]) + 1]
            hand.deal({seat: parse_cards(card) for seat, card in enumerate(fresh)})
        else:
            hand.apply(hand.legal[-1])
    hand.settle()
    assert hand.net == [-3, 3], "K-J-9-8-2 beats a pair of sixes"
