"""Lows of the reference engine (L1-L5, G1, B5 and the reported faults F1, F2, F3, F6)."""

from functools import cache
from itertools import combinations, combinations_with_replacement, pairwise
from math import comb, prod
from typing import Any

from tests.reference import lows
from tests.reference.cards import DEUCE, RANKS, RAZZ, cards


def five(text: str, game: str = RAZZ) -> lows.LowKey:
    """Key of five ranks, in suits that make no flush if odd and even ranks are mixed."""
    codes = []
    for i, letter in enumerate(text):
        rank = RANKS.index(letter)
        codes.append(4 * rank + (rank % 2 + text[:i].count(letter)) % 4)
    assert len(set(codes)) == len(codes)
    return lows.best_low(codes, game)


def test_L4_order_checks() -> None:
    worst_to_best = "33355 55532 KK432 22765 AAT98 KQJT9 KQJT7 98765 97653 9765A 65432 6432A 5432A"
    keys = [five(text) for text in worst_to_best.split()]
    assert all(better < worse for worse, better in pairwise(keys))


def test_L4_S1_comparisons() -> None:
    assert five("87643") < five("9432A")
    assert five("8543A") < five("85432") < five("8623A")
    assert five("KQJT9") < five("943AA") < five("54322")


def test_L2_trips_and_pairs_play_two_pair() -> None:
    key = lows.ace_to_five(cards("Ac Ad Ah Kc Kd Qc Qd"))
    assert key == five("QQAAK") and lows.class_name(key) == "two pair"
    names = [lows.class_name(five(text)) for text in ("5432A", "AAT98", "QQAAK", "33355")]
    assert names == ["no pair", "one pair", "two pair", "full house"]


def test_L5_counts_of_seven_cards_and_of_distinct_lows() -> None:
    """Exact counts over all seven-card rank multisets, weighted by their suits."""
    key5 = cache(five)
    ranks, tally, distinct = RANKS, dict[Any, int](), set()
    for chosen in combinations_with_replacement(ranks, 7):
        counts = [chosen.count(rank) for rank in set(chosen)]
        if max(counts) > 4:
            continue
        best = min(key5("".join(sub)) for sub in set(combinations(chosen, 5)))
        distinct.add(best)
        label = best[1][0] if best[0] == 0 else lows.class_name(best)
        tally[label] = tally.get(label, 0) + prod(comb(4, count) for count in counts)
    unpaired = [tally[top] for top in range(5, 14)]
    assert unpaired[:5] == [781824, 3151360, 7426560, 13171200, 19174400]
    assert unpaired[5:] == [23675904, 24837120, 21457920, 13939200]
    paired = {key: count for key, count in tally.items() if isinstance(key, str)}
    assert paired == {"one pair": 5948800, "two pair": 219648, "full house": 624}
    assert len(distinct) == 5083
    fives = [c for c in combinations_with_replacement(ranks, 5) if c.count(c[0]) < 5]
    assert len({key5("".join(chosen)) for chosen in fives}) == 6175


def test_F1_F2_F3_lows() -> None:
    def low(text: str) -> lows.LowKey:
        return lows.ace_to_five(cards(text))

    assert low("5d5c6d6c7d7c7h") == five("66557") < low("4d4c8d8c9d9c9h") == five("88449")
    assert low("7h6s8h4c5c5s6d") == five("87654")
    assert low("Kd6hAhKc2s3h2h") == five("K632A") > five("87654")
    assert low("Ah2c3d5s6hKdKc") == five("6532A") < low("Ah2c3d4s8hKdKc") == five("8432A")


def test_F6_G1_deuce_to_seven() -> None:
    def low(text: str) -> lows.LowKey:
        return five(text, DEUCE)

    best = ["75432", "76432", "76532", "76542", "85432", "KQJT8", "A5432", "AKQJ9", "22345"]
    later = ["22334", "222A3", "65432", "76543", "AKQJT"]
    keys = [low(text) for text in best + later]
    assert all(better < worse for better, worse in pairwise(keys))
    assert lows.class_name(low("A5432"), DEUCE) == "no pair"
    assert five("A5432") < five("6432A")  # and in A-5 the best low
    assert [lows.class_name(low(t), DEUCE) for t in ("65432", "76543")] == ["straight"] * 2
    flush = lows.deuce_to_seven(cards("7c5c4c3c2c"))
    assert lows.class_name(flush, DEUCE) == "flush" and low("AKQJT") < flush < low("33322")
    assert lows.class_name(lows.deuce_to_seven(cards("6c5c4c3c2c")), DEUCE) == "straight flush"
    assert lows.deuce_to_seven(cards("7c5c4c3c2c 7d Ks")) == low("75432")


def test_B5_exposed_hands() -> None:
    boards = ["T98", "A2K", "22A", "332", "KKQ", "AAA", "222"]
    keys = [lows.exposed_key([4 * RANKS.index(r) + i for i, r in enumerate(b)]) for b in boards]
    assert keys == sorted(keys) and len(set(keys)) == len(keys)
    assert lows.exposed_key(cards("8c7d6h")) < lows.exposed_key(cards("7c7d2h"))  # S0
    assert lows.exposed_key(cards("AcAdKhKs")) < lows.exposed_key(cards("AcAdAh2s"))
    assert lows.exposed_key(cards("KcKdKhQs")) < lows.exposed_key(cards("AcAdAhAs"))
    assert lows.exposed_key(cards("KcQd"), DEUCE) < lows.exposed_key(cards("Ac2d"), DEUCE)
    assert lows.exposed_key(cards("Ac2c3c4c")) == lows.exposed_key(cards("Ad2h3s4c"))


def test_G1_distinct_five_card_lows() -> None:
    """6,175 rank multisets, and 1,287 of them once more in one suit."""
    keys, flushes = set(), set()
    for chosen in combinations_with_replacement(range(13), 5):
        if chosen.count(chosen[0]) == 5:
            continue
        suits = [chosen[:i].count(rank) for i, rank in enumerate(chosen)]
        codes = [4 * rank + suit for rank, suit in zip(chosen, suits, strict=True)]
        if len(set(chosen)) == 5:
            flushes.add(lows.deuce_to_seven(codes))
            codes[0] += 1
        keys.add(lows.deuce_to_seven(codes))
    assert (len(keys), len(flushes), len(keys | flushes)) == (6175, 1287, 7462)
