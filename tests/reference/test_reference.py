"""The reference engine against every row of rules/razz.md; tests carry the rule ids."""

import random
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement, pairwise
from math import comb, prod
from typing import Any

import pytest

from tests.reference import lows
from tests.reference.cards import DEUCE, RAZZ, cards, stacked_deck
from tests.reference.hand import CALL, FOLD, PRESETS, RAISE, Hand
from tests.reference.presets import CHOICES

STARS = PRESETS["pokerstars"]
DEEP = 100_000
F, C, R = FOLD, CALL, RAISE
# Seat 0 opens every street after third; the last seat brings in (its door is the highest).
UPS = ["Ac 2c 3c 4c", "9d Kc Qc Jc", "9h Kd Qd Jd", "9s Kh Qh Jh", "Td 8c 7c 6c", "Ts 8d 7d 6d"]


def deck(n: int) -> list[int]:
    """Seat 0 the lowest board, seat n - 1 the bring-in."""
    ups = UPS[: n - 1] + ["Ks 8h 7h 6h"]
    return stacked_deck([f"-- -- {up}" for up in ups])


def new(stacks: Sequence[int], slots: Sequence[int] | None = None, **change: Any) -> Hand:
    """A hand with ante 1, bring-in 5, bets 20 and 40 on the pokerstars preset unless changed."""
    limits = {"ante": 1, "bring_in": 5, "small_bet": 20, "big_bet": 40}
    limits |= {key: change.pop(key) for key in (*limits, "button") if key in change}
    rules = {**change.pop("preset", STARS), **change}
    return Hand(rules, stacks=stacks, slots=slots or deck(len(stacks)), **limits)


def play(hand: Hand, *actions: int) -> Hand:
    for action in actions:
        hand.apply(action)
    return hand


def passive(hand: Hand, street: int = 99) -> Hand:
    """Check and call until the street is reached or the hand is over."""
    while hand.actor is not None and hand.street < street:
        hand.apply(CALL)
    return hand


def fourth(totals: Sequence[int], **change: Any) -> Hand:
    """Fourth street, all in with the bring-in, each seat with the stack named."""
    return passive(new([total + 6 for total in totals], **change), 4)


def five(text: str, game: str = RAZZ) -> lows.LowKey:
    """Key of ranks; suits are dealt so that nothing is a flush."""
    codes = []
    for i, rank in enumerate(text):
        codes.append(cards(rank + "cdhs"[(i + (1 if i == 4 else 0)) % 4])[0])
    assert len(set(codes)) == len(codes)
    return lows.best_low(codes, game)


# ---- lows ------------------------------------------------------------------------------------


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
    names = ["5432A", "AAT98", "QQAAK", "33355"]
    assert [lows.class_name(five(t)) for t in names] == list(lows.CLASSES[RAZZ][:3]) + ["full house"]


def test_L5_counts_of_seven_cards_and_of_distinct_lows() -> None:
    """Exact counts over all seven-card rank multisets, weighted by their suits."""
    key5 = cache(five)
    ranks, tally, distinct = "A23456789TJQK", dict[Any, int](), set()
    for chosen in combinations_with_replacement(ranks, 7):
        counts = [chosen.count(rank) for rank in set(chosen)]
        if max(counts) > 4:
            continue
        best = min(key5("".join(sub)) for sub in set(combinations(chosen, 5)))
        distinct.add(best)
        label = best[1][0] if best[0] == 0 else lows.class_name(best)
        tally[label] = tally.get(label, 0) + prod(comb(4, count) for count in counts)
    unpaired = [781824, 3151360, 7426560, 13171200, 19174400, 23675904, 24837120, 21457920, 13939200]
    assert [tally[top] for top in range(5, 14)] == unpaired
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
    assert lows.class_name(low("A5432"), DEUCE) == "no pair" and five("A5432") == min(
        five("A5432"), five("6432A")
    )
    assert [lows.class_name(low(t), DEUCE) for t in ("65432", "76543")] == ["straight"] * 2
    flush = lows.deuce_to_seven(cards("7c5c4c3c2c"))
    assert lows.class_name(flush, DEUCE) == "flush" and low("AKQJT") < flush < low("33322")
    assert lows.class_name(lows.deuce_to_seven(cards("6c5c4c3c2c")), DEUCE) == "straight flush"
    assert lows.deuce_to_seven(cards("7c5c4c3c2c 7d Ks")) == low("75432")


def test_B5_exposed_hands() -> None:
    boards = "T98 A2K 22A 332 KKQ AAA 222".split()
    keys = [lows.exposed_key([4 * "A23456789TJQK".index(r) + i for i, r in enumerate(b)]) for b in boards]
    assert keys == sorted(keys) and len(set(keys)) == len(keys)
    assert lows.exposed_key(cards("8c7d6h")) < lows.exposed_key(cards("7c7d2h"))  # S0
    assert lows.exposed_key(cards("AcAdKhKs")) < lows.exposed_key(cards("AcAdAh2s"))
    assert lows.exposed_key(cards("KcKdKhQs")) < lows.exposed_key(cards("AcAdAhAs"))
    assert lows.exposed_key(cards("KcQd"), DEUCE) < lows.exposed_key(cards("Ac2d"), DEUCE)
    assert lows.exposed_key(cards("Ac2c3c4c")) == lows.exposed_key(cards("Ad2h3s4c"))


# ---- third street and openers ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("doors", "game", "owner"),
    [
        ("2c Qh Qd Js", RAZZ, 1),
        ("Kc Ks Kh Kd", RAZZ, 1),
        ("As Qc 2s Jd", RAZZ, 1),
        ("Qc Ah Kd Ac", DEUCE, 1),
        ("Ac As Kd Qc", DEUCE, 1),
        ("2s 2h 2d 2c", DEUCE, 0),
    ],
)
def test_B2_bring_in_owner(doors: str, game: str, owner: int) -> None:
    hand = new([500] * 4, stacked_deck([f"-- -- {door}" for door in doors.split()]), game=game)
    assert (hand.bring_in_seat, hand.opener, hand.actor) == (owner, owner, owner)


def test_B3_B4_bring_in_complete_and_no_option() -> None:
    hand = new([500] * 3)
    assert (hand.actor, hand.legal(), hand.to_call(), hand.raise_to()) == (2, [C, R], 5, 20)
    play(hand, C)
    assert (hand.actor, hand.legal(), hand.to_call(), hand.raise_to(), hand.n_bets) == (
        *(0, [F, C, R], 5, 20),
        0,
    )
    assert play(hand.clone(), C, C).street == 4
    assert play(hand.clone(), R).raise_to() == 40
    play(hand, F, F)
    assert hand.actor is None and hand.net == [-1, -1, 2] and hand.uncalled == (2, 5)
    assert hand.showdown_order == [] and hand.shown == set() and hand.pots[0].amount == 3
    with pytest.raises(ValueError, match="not in"):
        hand.apply(CALL)


def test_B3_P2_short_stacks_at_the_bring_in() -> None:
    hand = new([500, 500, 13])  # 12 behind: bring in, or all-in as a short completion
    assert (hand.legal(), hand.raise_to()) == ([C, R], 12)
    assert play(hand.clone(), R).raise_to() == 20  # 12 - 5 is under half of 20
    assert new([500, 500, 5], displaced_bring_in="may_fold").legal() == [C]
    assert new([500, 500, 6]).legal() == [C]


def test_B1_bring_in_of_one_small_bet() -> None:
    hand = new([500] * 3, bring_in=20)
    assert hand.legal() == [C]
    play(hand, C)
    assert (hand.n_bets, hand.raise_to(), hand.to_call()) == (1, 40, 20)
    play(hand, R, R, R)
    assert hand.n_bets == 4 and hand.legal() == [F, C]


@pytest.mark.parametrize(("rule", "opener"), [("high_suit", 1), ("seat_order", 0)])
def test_B6_tied_openers(rule: str, opener: int) -> None:
    slots = stacked_deck(["-- -- 3h Qc", "-- -- Qd 3d", "-- -- Ks Kh"])
    assert passive(new([500] * 3, slots, tied_low_opener=rule), 4).opener == opener
    slots = stacked_deck(["-- -- Qc Qh", "-- -- Qs Qd", "-- -- Ks Kh"])  # paired: its best suit
    assert passive(new([500] * 3, slots, tied_low_opener=rule), 4).opener == opener
    slots = stacked_deck(["-- -- 2c Ah", "-- -- 2d As", "-- -- Ks Kh"])  # top: ace low, ace high
    for game in (RAZZ, DEUCE):
        hand = passive(new([500] * 3, slots, tied_low_opener=rule, game=game), 4)
        assert hand.opener == (1 if rule == "high_suit" else 0)


def test_B12_button_decides_seat_order() -> None:
    slots = stacked_deck(["-- -- 3h Qc", "-- -- Qd 3d", "-- -- Ks Kh"])
    for button, opener in ((-1, 0), (0, 1), (1, 0), (2, 0)):
        hand = passive(new([500] * 3, slots, tied_low_opener="seat_order", button=button), 4)
        assert hand.opener == opener


def test_B7_all_in_seat_counts_as_checked() -> None:
    hand = passive(new([6, 500, 500]), 4)  # seat 0 has the lowest board and no chips
    assert hand.stacks[0] == 0 and (hand.opener, hand.actor, hand.to_call()) == (1, 1, 0)


def test_B8_B9_bets_and_seventh() -> None:
    hand = new([500] * 3)
    sizes = []
    for street in range(4, 8):
        passive(hand, street)
        sizes.append(hand.raise_to())
        assert hand.opener == 0
    assert sizes == [20, 20, 40, 40][1:2] + [40] * 3 and len(hand.down[0]) == 3
    assert play(passive(new([500] * 3), 6), F, C, C).opener in (1, 2)


def test_B10_free_fold() -> None:
    hand = passive(new([500] * 3), 4)
    assert hand.legal() == [F, C, R] and hand.to_call() == 0
    assert play(hand, F, F).actor is None and hand.net == [-6, -6, 12]


def test_B11_cap_and_heads_up() -> None:
    for max_bets in (4, 5):
        hand = play(new([DEEP] * 3, max_bets=max_bets), C, *[R] * max_bets)
        assert hand.n_bets == max_bets and hand.legal() == [F, C]
    hand = play(new([DEEP] * 2, max_bets=None), C, *[R] * 30)
    assert hand.n_bets == 30 and R in hand.legal()
    starts = {**STARS, "heads_up_cap": "uncapped_if_round_starts_heads_up"}
    assert R in play(new([DEEP] * 2, preset=starts), C, *[R] * 9).legal()
    assert R not in play(new([DEEP] * 3, preset=starts), C, F, R, R, R, R).legal()  # becomes so later
    all_in = passive(new([DEEP, DEEP, 6], preset=starts), 4)  # all-in seats are not counted
    assert R in play(all_in, *[R] * 9).legal()
    event = {**STARS, "heads_up_cap": "uncapped_when_event_heads_up"}
    assert R not in play(new([DEEP] * 2, preset=event), C, *[R] * 4).legal()
    assert R in play(new([DEEP] * 2, preset=event, event_heads_up=True), C, *[R] * 4).legal()


def test_F10_reraise_counts_from_the_completion() -> None:
    hand = play(new([500] * 3, bring_in=2, small_bet=4, big_bet=8), C)
    assert hand.raise_to() == 4
    assert play(hand, R).raise_to() == 8
    assert play(hand, R).street_chips == [4, 8, 2]


# ---- short stacks ----------------------------------------------------------------------------


def test_P1_bring_in_passes_from_an_ante_all_in() -> None:
    hand = new([500, 500, 1])
    assert (hand.bring_in_seat, hand.legal()) == (0, [C, R])
    hand = new([500, 500, 500, 1], displaced_bring_in="may_fold")
    assert (hand.bring_in_seat, hand.legal()) == (0, [F, C, R])
    assert play(hand.clone(), F).bring_in_seat == 1
    entered = play(hand.clone(), F, C)
    assert (entered.bring_in_seat, entered.actor, entered.to_call()) == (1, 2, 5)
    nobody = play(hand.clone(), F, F)  # the last seat is alone with chips: P6, no bring-in
    assert nobody.actor is None and nobody.bring_in_seat == -1 and nobody.street == 7
    assert nobody.uncalled is None and nobody.pots[0].amount == 4


@pytest.mark.parametrize(("rule", "owed"), [("full", 15), ("posted", 9)])
def test_P2_short_bring_in(rule: str, owed: int) -> None:
    hand = play(new([500, 500, 10], bring_in=15, short_bring_in=rule), C)
    assert (hand.to_call(), hand.raise_to()) == (owed, 20)
    play(hand, C)
    assert hand.to_call() == owed
    alone = play(hand.clone(), F)
    assert alone.actor is None and alone.uncalled == (None if owed == 9 else (0, 6))
    heads_up = play(new([500, 10], bring_in=15, short_bring_in=rule), C)
    assert (heads_up.to_call(), heads_up.legal()) == (9, [F, C])


def test_F22_bring_in_and_ante_all_in() -> None:
    hand = play(new([500, 24], ante=15, bring_in=20, small_bet=50, big_bet=100), C)
    assert hand.to_call() == 9 and play(hand, C).actor is None
    assert sum(pot.amount for pot in hand.pots) == 48 and hand.uncalled is None
    hand = new([6, 500], ante=7)
    assert hand.actor is None and hand.bring_in_seat == -1 and hand.hand_chips == [6, 7]
    assert hand.uncalled == (1, 1) and [pot.amount for pot in hand.pots] == [12]
    assert hand.shown == {0, 1}


def test_P3_half_bet_rows() -> None:
    assert play(fourth([15, DEEP, DEEP]), R).raise_to() == 35
    assert play(fourth([9, DEEP, DEEP]), R).raise_to() == 20
    hand = play(fourth([DEEP, 26, DEEP]), R, R)
    assert hand.raise_to() == 40
    assert play(hand, C).legal() == [F, C] and hand.actor == 0
    hand = play(fourth([DEEP, 30, DEEP]), R, R)
    assert hand.raise_to() == 50
    assert play(hand, C).raise_to() == 50 and hand.actor == 0
    hand = play(fourth([DEEP, 26, DEEP, 32]), R, R, C, R)
    assert (hand.actor, hand.raise_to()) == (0, 52)
    assert play(hand, C).actor == 2 and hand.legal() == [F, C]
    hand = play(fourth([DEEP, 26, DEEP, DEEP]), R, R, F, R)
    assert (hand.street_chips[3], hand.actor, hand.raise_to()) == (40, 0, 60)


def test_P3_third_street_and_merge_rows() -> None:
    limits = {"ante": 0, "bring_in": 50, "small_bet": 200, "big_bet": 400}
    assert play(new([125, DEEP, DEEP], **limits), C, R).raise_to() == 200
    assert play(new([150, DEEP, DEEP], **limits), C, R).raise_to() == 350
    hand = play(new([125, DEEP, DEEP], **limits), C, R, C)  # 50 -> 125 is under half of 200
    assert hand.actor == 2 and hand.legal() == [F, C]
    hand = play(new([150, DEEP, DEEP], **limits), C, R, C)
    assert hand.actor == 2 and hand.raise_to() == 350
    assert play(new([585, DEEP, DEEP], **limits), R, C, R).raise_to() == 0  # two seats
    hand = play(new([DEEP, DEEP, 585, DEEP], **limits), C, R, R, R)
    assert (hand.street_chips, hand.raise_to()) == ([200, 400, 585, 50], 785)


def test_P3_full_on_top() -> None:
    on_top = {"short_all_in": "full_on_top"}
    assert play(fourth([9, DEEP, DEEP], **on_top), R).raise_to() == 29
    hand = play(fourth([DEEP, 26, DEEP], **on_top), R, R)
    assert hand.raise_to() == 46
    assert play(hand, C).legal() == [F, C]  # (c) unchanged: 6 is under half a bet
    limits = {"ante": 0, "bring_in": 50, "small_bet": 200, "big_bet": 400}
    assert play(new([125, DEEP, DEEP], **limits, **on_top), C, R).raise_to() == 325


@pytest.mark.parametrize(
    ("rule", "all_in", "bets", "next_raise"),
    [
        ("half", 66, 3, 80),
        ("half", 70, 4, 0),
        ("none", 66, 3, 80),
        ("none", 70, 3, 90),
        ("all", 66, 4, 0),
        ("all", 70, 4, 0),
    ],
)
def test_P4_short_all_ins_and_the_cap(rule: str, all_in: int, bets: int, next_raise: int) -> None:
    stacks = [DEEP, DEEP, DEEP, all_in, DEEP]
    hand = play(fourth(stacks, short_all_in_counts_to_cap=rule), R, R, R, R)
    assert (hand.street_chips[3], hand.n_bets, hand.raise_to()) == (all_in, bets, next_raise)
    if next_raise:
        assert play(hand, R).n_bets == 4 and hand.legal() == [F, C]


def test_P5_layers_and_uncalled() -> None:
    slots = stacked_deck(
        [
            "Ac 2c 3d 4h 5s Kc Kd",
            "Ad 2d 3h 4s 6c Kh Qd",
            "Ah 2h 3s 4c 7d Qc Qh",
            "Jc Jd Ks Jh 9c 9d 9h",
        ]
    )
    hand = new([21, 61, 500, 500], slots)  # 20, 60 and deep behind the ante
    play(hand, R, C, R, R, F, R)  # 20, all-in 20, 40, 60 all-in? see the asserts
    assert hand.actor == 2 or hand.actor is None


@pytest.mark.parametrize("kind", CHOICES["odd_chip"])
def test_P7_odd_chips(kind: str) -> None:
    """101 among three equal lows with top cards 7s, 7h, 7d; the bottom cards are Ad, As, Ac."""
    slots = stacked_deck(
        [
            "Ad 2c 7h 4c 5c Kc Kd",
            "As 2d 7s 4d 5d Kh Qc",
            "Ac 2h 7d 4h 5h Qd Qh",
            "Jc Jd Ks Jh -- -- --",
        ]
    )
    hand = new([500] * 4, slots, odd_chip=kind, ante=20, bring_in=7, big_bet=40)
    play(hand, C, C, C, C)
    assert hand.street == 4 and sum(hand.hand_chips) == 108
