"""Pots, rake, exhaustion, showdown, leaf counts and random play of the reference engine."""

import random
from typing import Any

import pytest

from tests.reference.cards import DEUCE, GAMES, RAZZ, cards, stacked_deck
from tests.reference.hand import PRESETS, Hand
from tests.reference.helpers import DEEP, STARS, C, F, R, fourth, new, passive, play
from tests.reference.payout import Pot, layers, odd_chip_order, rake_of, split, uncalled_bet
from tests.reference.presets import CHOICES

# Seat 0 makes a wheel, seat 1 a six, seat 2 a seven, seat 3 (the bring-in) three jacks.
FOUR = [
    "Ac 2c 3d 4h 5s Kc Kd",
    "Ad 2d 3h 4s 6c Kh Qd",
    "Ah 2h 3s 4c 7d Qc Qh",
    "Jc Jd Ks Jh 9c 9d 9h",
]


# ---- pots ------------------------------------------------------------------------------------


def test_P5_layers_uncalled_and_run_out() -> None:
    hand = new([21, 61, 500, 500], stacked_deck(FOUR))
    play(hand, C, R, C, R, C, R, C, R, F)  # seat 0 in for 20, seat 1 for 60, seat 3 raises to 80
    assert hand.actor is None and hand.street == 7 and hand.uncalled == (3, 20)
    assert hand.hand_chips == [21, 61, 61, 81]
    assert hand.pots == [
        Pot(84, 0, (0, 1, 3), (0,), {0: 84}),
        Pot(120, 0, (1, 3), (1,), {1: 120}),
    ]
    assert hand.net == [63, 59, -61, -61] and hand.stacks == [84, 120, 439, 439]


def test_P5_folded_chips_fill_from_below() -> None:
    assert uncalled_bet([10, 30, 20]) == (1, 10) and uncalled_bet([7, 7, 3]) is None
    assert layers([10, 20, 20], [0, 1]) == [(30, (0, 1)), (20, (1,))]
    assert layers([5, 3, 8, 8, 1], [0, 2, 3]) == [(19, (0, 2, 3)), (6, (2, 3))]
    assert layers([0, 0], [1]) == []


def test_P6_no_more_betting() -> None:
    hand = play(new([21, DEEP, DEEP]), C, R, C, F)  # one seat with chips is left and owes nothing
    assert hand.actor is None and hand.street == 7 and hand.opener == -1
    hand = play(new([31, DEEP, 21]), C, R, R, C)  # 20, raise 40; seat 2 calls 20 all-in
    assert hand.actor == 0 and hand.legal() == [F, C] and hand.to_call() == 10  # 30 in all
    hand = play(new([31, DEEP, 21]), C, R, F, C)
    assert hand.actor is None and hand.uncalled is None and hand.street == 7


@pytest.mark.parametrize(
    ("kind", "button", "first_two"),
    [
        ("high_card_by_suit", -1, {0, 1}),
        ("high_card_by_suit", 1, {0, 1}),
        ("low_card_by_suit", -1, {0, 2}),
        ("seat_order", -1, {0, 1}),
        ("seat_order", 0, {1, 2}),
    ],
)
def test_P7_odd_chips(kind: str, button: int, first_two: set[int]) -> None:
    """101 among equal lows with tops 7h, 7s, 7d and bottoms Ad, As, Ac: 34, 34, 33."""
    slots = stacked_deck(
        [
            "Ad 2c 7h 4c 5c Kc Kd",
            "As 2d 7s 4d 5d Kh Qc",
            "Ac 2h 7d 4h 5h Qd Qh",
            "Jc Jd Ks Jh -- -- --",
        ]
    )
    hand = passive(play(new([500] * 4, slots, odd_chip=kind, ante=9, button=button), C, R, C, C, F))
    assert hand.pots[0].winners == (0, 1, 2) and hand.pots[0].amount == 101
    assert hand.pots[0].shares == {seat: 34 if seat in first_two else 33 for seat in range(3)}


def test_P7_duplicate_ranks_and_community_card() -> None:
    def order(kind: str, *hands: str) -> list[int]:
        return odd_chip_order([0, 1], dict(enumerate(map(cards, hands))), kind, RAZZ)

    low = "4c 3c 2c", "4d 3d 2d"
    # The best suit of a rank counts: 7s beats 7h although seat 0 also holds 7c; Ac is below Ad.
    assert order("high_card_by_suit", f"7c 7s Ah {low[0]}", f"7h Ad {low[1]}") == [0, 1]
    assert order("low_card_by_suit", f"7c Ah {low[0]}", f"7h Ac Ad {low[1]}") == [1, 0]
    # A shared 7s is passed over: the fours decide.
    assert order("high_card_by_suit", f"7s As {low[0]}", f"7s Ac {low[1]}") == [1, 0]
    assert order("low_card_by_suit", f"7c As {low[0]}", f"7d As {low[1]}") == [0, 1]
    assert split(101, [2, 0, 1]) == {2: 34, 0: 34, 1: 33}


def test_P8_rake() -> None:
    full_tilt = {"take": 100, "per": 2000, "cap": 300, "from_street": 3}
    taken = [rake_of(pot, 0, full_tilt, 3) for pot in (1999, 2000, 5999, 90000)]
    assert taken == [0, 100, 200, 300]
    assert rake_of(8000, 200, full_tilt, 3) == 100
    cents = {"take": 1, "per": 20, "cap": 100, "from_street": 4}
    hand = new([21, 61, 500, 500], stacked_deck(FOUR), rake=cents)
    play(hand, C, R, C, R, C, R, C, R, F)
    assert [(pot.amount, pot.rake) for pot in hand.pots] == [(80, 4), (114, 6)]
    assert hand.rake_total == 10 == -sum(hand.net) and hand.uncalled == (3, 20)
    hand = play(new([500] * 3, ante=20, rake=cents), C, F, F)
    assert hand.rake_total == 0  # over before fourth street
    hand = new([21, 61, 500, 500], stacked_deck(FOUR), rake={**cents, "cap": 5})
    play(hand, C, R, C, R, C, R, C, R, F)
    assert [pot.rake for pot in hand.pots] == [4, 1]


# ---- cards run out ---------------------------------------------------------------------------

LETTER = {"normal": "N", "community": "C", "scramble": "S", "community_scramble": "Cs"}


def fold_down(seats: int, street: int, live: int, rule: str) -> Hand:
    """All folds on one street, by the seats after the one that opens it; else check and call."""
    hand = passive(new([DEEP] * seats, stacked_deck(["--"] * seats), deck_exhaustion=rule), street)
    play(hand, C if street == 3 else R, *[F] * (seats - live))
    return passive(hand)


# One row for each number of live seats: the letters for folds on third, fourth, fifth, sixth.
X1_ROWS = dict(zip(range(8, 4, -1), ("C", "N C C C", "N N N C", "N N N C"), strict=True))
X1_ROWS |= dict.fromkeys((4, 3, 2), "N N N N")
X2_EIGHT = dict(zip(range(8, 5, -1), ("Cs", "C C Cs Cs", "S S C Cs"), strict=True))
X2_EIGHT |= dict(zip(range(5, 1, -1), ("N N S Cs", "N N S Cs", "N N N Cs", "N N N S"), strict=True))
X2_SEVEN = {7: "S", 6: "N N N S", 5: "N N N N", 4: "N N N N", 3: "N N N N", 2: "N N N N"}


@pytest.mark.parametrize(
    ("rule", "seats", "rows"),
    [
        ("community_card", 8, X1_ROWS),
        ("community_card", 7, dict.fromkeys(range(2, 8), "N N N N")),
        ("wsop_stub", 8, X2_EIGHT),
        ("wsop_stub", 7, X2_SEVEN),
        ("wsop_stub", 6, dict.fromkeys(range(2, 7), "N N N N")),
    ],
)
def test_X1_X2_tables(rule: str, seats: int, rows: dict[int, str]) -> None:
    for live, row in rows.items():
        for street, letter in zip(range(3, 7), row.split(), strict=False):
            hand = fold_down(seats, street, live, rule)
            assert hand.folded.count(False) == live and hand.scrambles == []
            assert LETTER[hand.exhaustion] == letter, (live, street)
            assert (hand.community is not None) == letter.startswith("C")


def test_X1_slots_at_eight_seats() -> None:
    slots = list(range(52))
    random.Random(1).shuffle(slots)
    hand = passive(new([DEEP] * 8, slots))
    assert hand.community == slots[48] and [len(down) for down in hand.down] == [2] * 8
    hand = passive(new([DEEP] * 8, slots), 4)
    opener = hand.opener
    folders = [(opener + 1 + i) % 8 for i in range(3)]
    passive(play(hand, R, F, F, F), 5)
    opener5 = hand.opener
    passive(play(hand, R, F, F))
    late = [s for s in range(8) if hand.folded[s] and s not in folders]
    pool = [48, 49, 50, 51] + [32 + s for s in sorted(folders)] + [40 + s for s in range(8)]
    live = [s for s in range(8) if not hand.folded[s]]
    assert len(late) == 2 and opener5 in live and len(live) == 3
    assert [hand.down[s][2] for s in live] == [slots[i] for i in pool[:3]]


def test_X1_seven_live_after_third_take_four_spares_and_folded_slots() -> None:
    hand = fold_down(8, 3, 7, "community_card")
    gone = hand.folded.index(True)
    pool = [48, 49, 50, 51, 24 + gone, 32 + gone, 40 + gone]
    live = [s for s in range(8) if s != gone]
    assert [hand.down[s][2] for s in live] == [hand.slots[i] for i in pool]


def test_X0_seventh_slot_below_eight_seats() -> None:
    hand = passive(new([500] * 3))
    assert [down[2] for down in hand.down] == hand.slots[18:21]


# ---- showdown --------------------------------------------------------------------------------


def test_D1_last_bettor_shows_first() -> None:
    # Boards 345K, 346K, 347Q, KJ99: seat 2 opens.
    hand = passive(new([500] * 4, stacked_deck(FOUR)), 7)
    assert hand.opener == 2
    play(hand, C, C, R, C, C, C)  # seat 0 bets
    assert hand.showdown_order == [0, 1, 2, 3] and hand.shown == {0}
    hand = play(passive(new([500] * 4, stacked_deck(FOUR)), 7), R, C, C, C)
    assert hand.showdown_order == [2, 3, 0, 1] and hand.shown == {0, 2}


@pytest.mark.parametrize(("kind", "first"), [("first_seat", 0), ("low_hand", 2), ("opener", 2)])
def test_D2_checked_seventh(kind: str, first: int) -> None:
    hand = passive(new([500] * 4, stacked_deck(FOUR), checked_showdown=kind))
    assert hand.showdown_order == [(first + i) % 4 for i in range(4)]
    hand = passive(new([500] * 4, stacked_deck(FOUR), checked_showdown=kind, button=0))
    assert hand.showdown_order[0] == (1 if kind == "first_seat" else first)


@pytest.mark.parametrize(("kind", "first"), [("first_seat", 0), ("low_hand", 2), ("opener", 3)])
def test_D1_D2_D3_with_an_all_in_seat(kind: str, first: int) -> None:
    hand = passive(new([500, 500, 6, 500], stacked_deck(FOUR), checked_showdown=kind))
    assert hand.showdown_order[0] == first and hand.shown == {0, 1, 2, 3}
    betting = passive(new([500, 500, 6, 500], stacked_deck(FOUR), checked_showdown=kind), 7)
    play(betting, R, C, C)  # seat 3 bets; the side-pot seats come before seat 2
    assert betting.showdown_order == [3, 0, 1, 2] and betting.shown == {0, 1, 2, 3}


def test_D1_main_pot_seats_come_last_clockwise() -> None:
    hand = passive(new([6, 500, 6, 500], stacked_deck(FOUR)), 7)
    assert hand.opener == 3  # B7: seat 2 has the lowest board, but no chips
    assert play(hand, C, R, C).showdown_order == [1, 3, 2, 0]


def test_D3_shows_only_what_wins_or_ties() -> None:
    hand = passive(new([500] * 4, stacked_deck(FOUR), checked_showdown="first_seat", button=2))
    assert hand.showdown_order == [3, 0, 1, 2] and hand.shown == {0, 3}
    assert play(new([500] * 3), C, F, F).shown == set()


def test_G1_whole_hand() -> None:
    wheel = stacked_deck(["Ac 2c 3d 4h 5s Kc Kd", "9d 2d 8h 4s 6c 7c Td", "Qd Jc Ks Jh Js Qc Qh"])
    razz, deuce = (passive(new([500] * 3, wheel, game=game)) for game in GAMES)
    assert razz.pots[0].winners == (0,) and deuce.pots[0].winners == (1,)
    low = stacked_deck(["7c 5c 4c 3c 2c Ac Kc", "7d 5h 4d 3d 2d Ad Kd", "Qd Jc Ks Jh Js Qc Qh"])
    hand = passive(new([500] * 3, low, game=DEUCE))
    assert hand.pots[0].winners == (1,)  # seat 0 has nothing but flushes


# ---- leaf counts and random play -------------------------------------------------------------


def leaves(hand: Hand, street: int, free_fold: bool) -> int:
    """Ways to end the betting round."""
    if hand.actor is None or hand.street != street:
        return 1
    actions = [a for a in hand.legal() if a != F or free_fold or hand.to_call() > 0]
    return sum(leaves(play(hand.clone(), action), street, free_fold) for action in actions)


@pytest.mark.parametrize(
    ("cap", "third", "later", "free"),
    [
        (4, [18, 258, 3054], [17, 247, 2793], [19, 277, 3331]),
        pytest.param(5, [22, 542, 9970], [21, 529, 9425], [23, 565, 10535], marks=pytest.mark.slow),
    ],
)
def test_leaf_counts(cap: int, third: list[int], later: list[int], free: list[int]) -> None:
    for n, *counts in zip((2, 3, 4), third, later, free, strict=True):
        start = new([DEEP] * n, max_bets=cap)
        on_fifth = passive(start.clone(), 5)
        found = [leaves(start, 3, True), leaves(on_fifth, 5, False), leaves(on_fifth, 5, True)]
        assert found == counts


def random_hand(dice: random.Random) -> Hand:
    """Random seats, short stacks, limits, preset and single parameters."""
    rules: dict[str, Any] = dict(dice.choice(list(PRESETS.values())))
    for key, allowed in CHOICES.items():
        if dice.random() < 0.3:
            rules[key] = dice.choice(allowed)
    rules["max_bets"] = dice.choice([rules["max_bets"], rules["max_bets"], 3, None])
    rules["rake"] = dice.choice([None, {"take": 1, "per": 20, "cap": 5, "from_street": 4}])
    rules["game"] = dice.choice([RAZZ, RAZZ, DEUCE])
    rules["event_heads_up"] = dice.random() < 0.5
    n = dice.randint(2, 8)
    top = dice.choice([12, 60, 200, 800])
    stacks = [dice.randint(1, top) for _ in range(n)]
    slots = dice.sample(range(52), 52)
    ante, bring_in = dice.choice([0, 2, 7]), dice.choice([3, 5, 5, 20])
    button = dice.randint(-1, n - 1)
    return Hand(rules, ante, bring_in, 20, 40, stacks, slots, button)


def check_running(hand: Hand) -> None:
    """Chips and cards at a decision."""
    assert hand.actor is not None and hand.legal() and hand.stacks[hand.actor] > 0
    assert not hand.folded[hand.actor] and min(hand.stacks) >= 0
    assert sum(hand.stacks) + sum(hand.hand_chips) == sum(hand.initial_stacks)
    assert (hand.raise_to() > 0) == (R in hand.legal())


def check_over(hand: Hand) -> None:
    """Chips conserved, cards distinct, winners eligible, odd chips at most one."""
    assert sum(hand.net) == -hand.rake_total and min(hand.stacks) >= 0
    back = hand.uncalled[1] if hand.uncalled else 0
    assert sum(pot.amount + pot.rake for pot in hand.pots) + back == sum(hand.hand_chips)
    for pot in hand.pots:
        assert sum(pot.shares.values()) == pot.amount and set(pot.winners) == set(pot.shares)
        assert set(pot.winners) <= set(pot.eligible)
        assert not any(hand.folded[s] for s in pot.eligible)
        assert max(pot.shares.values()) - min(pot.shares.values()) <= 1
    if hand.uncalled:
        assert not hand.folded[hand.uncalled[0]]
    live = [s for s in range(hand.n) if not hand.folded[s]]
    dealt = [code for pile in hand.down + hand.up for code in pile]
    dealt += [] if hand.community is None else [hand.community]
    assert len(set(dealt)) == len(dealt) == len(hand.used_slots) and hand.scrambles == []
    assert sorted(hand.showdown_order) == (live if len(live) > 1 else [])
    if len(live) > 1:
        assert all(len(hand.cards_of(s)) == 7 for s in live)
        assert {s for pot in hand.pots for s in pot.winners} <= hand.shown


def test_X4_T5_random_play() -> None:
    dice = random.Random(20260101)
    seen = set()
    for _ in range(1000):
        hand = random_hand(dice)
        passivity = dice.choice([1, 3, 12])
        while hand.actor is not None:
            check_running(hand)
            legal = hand.legal()
            hand.apply(dice.choice(legal + [C] * passivity))
        check_over(hand)
        seen.add(hand.exhaustion)
    assert seen == {"normal", "community", "scramble", "community_scramble"}


def test_random_play_without_a_cap_ends() -> None:
    hand = new([DEEP] * 2, max_bets=None)
    while hand.actor is not None:
        hand.apply(hand.legal()[-1])
    assert hand.street == 7 and sorted(hand.hand_chips) == [DEEP, DEEP]
    assert fourth([100, 100]).street == 4 and STARS["max_bets"] == 4
