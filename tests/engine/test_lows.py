"""Lows: L1-L5, exposed hands (B5) and the faults F1, F2, F3, F18, against plain sorting and exact counts.

Authority: the specification's order checks and exact counts (L4, L5), published frequencies of low hands
(tests/data/probability.json) and an order computed here by brute force that shares nothing with the engine.
"""

import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations, combinations_with_replacement
from math import comb, prod
from pathlib import Path

import numpy as np
import pytest
from numba import njit

from razzsim.engine.cards import RANKS, parse_cards
from razzsim.engine.exposed import N_STEP_STATES, exposed_steps
from razzsim.engine.games import GAMES
from razzsim.engine.held import pack_nb
from razzsim.engine.lows import CLASS_NAMES, low_class, low_nb
from razzsim.engine.lows import low_ranks as named_ranks

PUBLISHED = json.loads((Path(__file__).parent.parent / "data" / "probability.json").read_text(encoding="utf-8"))
ALL_SEVEN_CARD_HANDS = 133_784_560
RAZZ = GAMES["razz"]

LowKey = tuple[tuple[int, ...], tuple[int, ...]]


def sort_key(ranks: Iterable[int]) -> LowKey:
    """L2 for any number of cards: how the ranks repeat, then the ranks, those that repeat most first."""
    groups = sorted(((count, rank) for rank, count in Counter(ranks).items()), reverse=True)
    return tuple(count for count, _ in groups), tuple(rank for _, rank in groups)


def best_key(ranks: Iterable[int]) -> LowKey:
    """The lowest of all fives, by trying them."""
    return min(sort_key(five) for five in combinations(ranks, 5))


def multisets(size: int) -> Iterator[tuple[int, ...]]:
    """Rank multisets that four suits allow."""
    return (ranks for ranks in combinations_with_replacement(range(13), size) if max(Counter(ranks).values()) <= 4)


def weight(ranks: Iterable[int]) -> int:
    """Hands of cards with these ranks."""
    return prod(comb(4, n) for n in Counter(ranks).values())


@njit
def many_lows_nb(games, hands, lows):
    for i in range(len(hands)):
        ranks, held = pack_nb(hands[i])
        lows[i] = low_nb(games[0], ranks, held)


def lows_of(hands: Iterable[tuple[int, ...]]) -> list[int]:
    """The engine's low of each rank multiset; suits are all clubs, which must not matter (L3)."""
    codes = (np.array(list(hands)) * 4).astype(np.uint8)
    lows = np.zeros(len(codes), np.int64)
    many_lows_nb(RAZZ.record, codes, lows)
    return lows.tolist()


def low(text: str) -> int:
    """Low of `Ah2c...` or of ranks alone, `33355`."""
    if set(text) <= set(RANKS):
        return lows_of([tuple(RANKS.index(rank) for rank in text)])[0]
    lows = np.zeros(1, np.int64)
    many_lows_nb(RAZZ.record, np.array([parse_cards(text)], np.uint8), lows)
    return int(lows[0])


def low_ranks(value: int) -> str:
    """The five ranks of a low."""
    return named_ranks(value, RANKS)


FIVES = list(multisets(5))
SEVENS = list(multisets(7))


def test_L4_order_checks() -> None:
    """Worst to best, as the rule texts print them."""
    line = [
        "33355",
        "55532",
        "KK432",
        "22765",
        "AAT98",
        "KQJT9",
        "KQJT7",
        "98765",
        "97653",
        "9765A",
        "65432",
        "6432A",
        "5432A",
    ]
    lows = [low(text) for text in line]
    assert lows == sorted(lows, reverse=True)
    assert len(set(lows)) == len(lows)
    assert lows[-1] == 0


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("87643", "9432A"),  # S1
        ("85432", "8623A"),
        ("8543A", "85432"),
        ("943AA", "54322"),
        ("KQJT9", "943AA"),  # both lose to any unpaired hand
        ("KQJT9", "54322"),
        ("AA234", "22345"),  # L2: aces are the lowest pair
        ("AA234", "AA235"),
        ("22AA3", "3322A"),
        ("AA223", "AAA23"),
        ("KKQQJ", "AAA23"),
        ("AAA22", "2222A"),
        ("222KK", "333AA"),  # full house: trips, then pair
        ("5d5c6d6c7d7c7h", "4d4c8d8c9d9c9h"),  # F1: 66 55 7 beats 88 44 9
        ("7h6s8h4c5c5s6d", "Kd6hAhKc2s3h2h"),  # F2: 8-7-6-5-4 beats K-6-3-2-A
        ("Ah2c3d5s6hKdKc", "Ah2c3d4s8hKdKc"),  # F3: compared from the top down
    ],
)
def test_L1_L2_S1_F1_F2_F3_which_is_better(better: str, worse: str) -> None:
    assert low(better) < low(worse)


def test_L2_AAAKKQQ_plays_queens_and_aces() -> None:
    assert low_ranks(low("AAAKKQQ")) == "QQAAK"


def test_L1_five_of_seven_straights_flushes_and_eights_do_not_matter() -> None:
    assert low("Ah2h3h4h5hKsKd") == 0, "a straight flush is the best low"
    assert RAZZ.low_text(low("KsQdJhTc9s9d9h")) == "K-Q-J-T-9", "no eight qualifier"


def test_L3_suits_never_rank_a_low() -> None:
    assert low("Ac2d3h4s8cKsKd") == low("As2c3c4c8sQdQh")


def test_F2_a_repeated_rank_does_not_forbid_an_unpaired_low() -> None:
    assert RAZZ.low_text(low("7h6s8h4c5c5s6d")) == "8-7-6-5-4"


def test_L5_all_49205_seven_card_multisets() -> None:
    """Exact class counts, weighted by suits; the number of distinct lows."""
    lows = lows_of(SEVENS)
    assert len(SEVENS) == 49_205
    assert len(set(lows)) == 5_083
    by_class: Counter[str] = Counter()
    by_top: Counter[str] = Counter()
    for ranks, value in zip(SEVENS, lows, strict=True):
        kind, n = CLASS_NAMES[low_class(value)], weight(ranks)
        by_class[kind] += n
        by_top[low_ranks(value)[0] if kind == "unpaired" else "paired"] += n
    assert by_class.total() == ALL_SEVEN_CARD_HANDS
    assert by_class == {"unpaired": 127_615_488, "one pair": 5_948_800, "two pair": 219_648, "full house": 624}
    published = next(table for name, table in PUBLISHED.items() if name.startswith("7-card A-5 low"))
    assert published["no_pair_total"] == by_class["unpaired"]
    expected = [781_824, 3_151_360, 7_426_560, 13_171_200, 19_174_400, 23_675_904, 24_837_120, 21_457_920, 13_939_200]
    assert [by_top[rank] for rank in "56789TJQK"] == expected == [published[rank] for rank in "56789TJQK"]


def test_L5_five_card_lows() -> None:
    lows = lows_of(FIVES)
    assert len(FIVES) == len(set(lows)) == 6_175
    assert sum(low_class(value) == 0 for value in lows) == 1_287
    published = next(table for name, table in PUBLISHED.items() if name.startswith("5-card A-5 low"))
    by_top: Counter[str] = Counter()
    for ranks, value in zip(FIVES, lows, strict=True):
        if low_class(value) == 0:
            by_top[low_ranks(value)[0]] += weight(ranks)
    assert by_top == {rank: published[rank] for rank in "56789TJQK"}
    assert (by_top.total(), published["distinct"]) == (published["total"], 1_287) == (1_317_888, 1_287)


def test_L2_numbers_are_the_order_of_plain_sorting_for_all_five_card_multisets() -> None:
    by_key = sorted(FIVES, key=sort_key)
    assert lows_of(by_key) == sorted(lows_of(by_key))


def test_L1_best_five_of_seven_by_brute_force() -> None:
    """3,000 seven-card and 1,000 six-card multisets, and every multiset with fewer than five ranks."""
    number = dict(zip(map(sort_key, FIVES), lows_of(FIVES), strict=True))
    draw = random.Random("L1")
    paired = [ranks for ranks in SEVENS if len(set(ranks)) < 5]
    for hands in (draw.sample(SEVENS, 3_000), draw.sample(list(multisets(6)), 1_000), paired):
        assert lows_of(hands) == [number[best_key(ranks)] for ranks in hands]
    assert len(paired) == 14_300 + 3_432 + 156  # of four, three and two ranks


def test_order_of_the_cards_does_not_matter() -> None:
    draw = random.Random("order")
    hands = draw.sample(SEVENS, 500)
    assert lows_of(hands) == lows_of([tuple(draw.sample(ranks, 7)) for ranks in hands])


def test_low_ranks_and_text_name_every_low() -> None:
    for value in lows_of(FIVES):
        ranks = low_ranks(value)
        assert RAZZ.low_text(value) == "-".join(ranks)
        kinds = sort_key([RANKS.index(rank) for rank in ranks])
        assert [rank for n, r in zip(*kinds, strict=True) for rank in RANKS[r] * n] == list(ranks)
    assert lows_of([tuple(map(RANKS.index, low_ranks(value))) for value in lows_of(FIVES)]) == lows_of(FIVES)


def test_F18_starting_hands() -> None:
    """455 rank multisets; 1,183 with the door card distinguished; published probabilities."""
    facts = PUBLISHED["starting hands"]
    hands = list(multisets(3))
    total = sum(map(weight, hands))
    assert (len(hands), total) == (455, 22_100) == (facts["rank multisets"], facts["3-card combos"])
    with_door = {(tuple(sorted((a, b))), door) for a in range(13) for b in range(13) for door in range(13)}
    assert len(with_door) == facts["rank multisets with the up card distinguished"] == 1_183
    assert sum(len(set(ranks)) == 3 for ranks in hands) == facts["three distinct ranks"] == 286

    def share(kept: Iterable[tuple[int, ...]]) -> float:
        return sum(map(weight, kept)) / total

    distinct = [ranks for ranks in hands if len(set(ranks)) == 3]
    for name, top in (("P(three distinct <=8)", 8), ("P(<=7)", 7), ("P(three wheel cards)", 5)):
        assert share(ranks for ranks in distinct if max(ranks) < top) == pytest.approx(facts[name], abs=1e-10)
    for name, n in (("P(pair)", 2), ("P(trips)", 1)):
        assert share(ranks for ranks in hands if len(set(ranks)) == n) == pytest.approx(facts[name], abs=1e-10)


@pytest.mark.parametrize(
    ("held", "per_cent"),
    [
        ("32A", {5: 7.153, 6: 11.799, 7: 14.301, 8: 15.020}),
        ("2AK", {5: 1.254, 6: 3.398, 7: 6.071, 8: 8.911}),
        ("AQK", {5: 0.121, 6: 0.483, 7: 1.208, 8: 2.417}),
        ("A234", {5: 23.4274, 6: 42.8770 - 23.4274, 7: 58.7188 - 42.8770, 8: 71.3228 - 58.7188}),
        ("AA2", {5: 1.2536}),
    ],
)
def test_L5_final_low_from_a_start(held: str, per_cent: dict[int, float]) -> None:
    """All ways to fill up to seven cards, counted by ranks: Caro's table and exact recomputations of it."""
    start = [RANKS.index(rank) for rank in held]
    left = Counter({rank: 4 - start.count(rank) for rank in range(13)})
    rests = [rest for rest in combinations_with_replacement(range(13), 7 - len(start)) if not Counter(rest) - left]
    ways = [prod(comb(left[rank], n) for rank, n in Counter(rest).items()) for rest in rests]
    tops: Counter[str] = Counter()
    for value, n in zip(lows_of([(*start, *rest) for rest in rests]), ways, strict=True):
        tops[low_ranks(value)[0] if low_class(value) == 0 else "paired"] += n
    assert sum(ways) == comb(52 - len(start), 7 - len(start))
    for top, share in per_cent.items():
        assert 100 * tops[str(top)] / sum(ways) == pytest.approx(share, abs=6e-4)


def test_B5_exposed_states_are_the_order_of_plain_sorting() -> None:
    """All multisets of one to four up cards, reached in every order of dealing."""
    steps = exposed_steps(range(13))
    assert steps.shape == (N_STEP_STATES, 13)
    for size in range(1, 5):
        hands = list(combinations_with_replacement(range(13), size))
        states = []
        for ranks in hands:
            reached = {walk(steps, dealt) for dealt in set(orders(ranks))}
            assert len(reached) == 1
            states.append(reached.pop())
        by_state = [ranks for _, ranks in sorted(zip(states, hands, strict=True))]
        assert len(set(states)) == len(hands)
        assert by_state == sorted(hands, key=sort_key)


def orders(ranks: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The cards in turn at the end: enough orders to reach a state by every last card."""
    return [(*ranks[:i], *ranks[i + 1 :], ranks[i]) for i in range(len(ranks))] + [ranks[::-1]]


def walk(steps: np.ndarray, ranks: Iterable[int]) -> int:
    state = 0
    for rank in ranks:
        state = int(steps[state, rank])
    return state
