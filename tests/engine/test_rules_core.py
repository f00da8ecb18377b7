"""Betting street by street under the pokerstars preset, stacked decks: W1, B0-B12, P3, P4 and faults of betting.

Authority: the rules specification (ids in the names) and the list of faults reported of other software (F9, F10, ...).
"""

import pytest

from razzsim.engine.hand import HandIsOver, IllegalAction
from tests.engine.stacked import DEEP, boards, deck, finish, fourth, new, offer, passive, play
from tests.invariants import live_seats


def test_W1_live_with_chips_and_stack_of_zero() -> None:
    hand = play(new([500] * 4), "c r f f")  # seat 3 brings in, seat 0 completes
    assert live_seats(hand) == [0, 3]
    assert int(hand.table["all_in_mask"]) == 0
    hand = play(new([500, 13, 500, 500]), "c c r f f")
    assert (live_seats(hand), int(hand.table["all_in_mask"])) == ([0, 1], 0b10), "an all-in seat is live"
    assert offer(hand) == (0, "fc", 7, 0)


def test_B0_deal_order_and_live_seats_only() -> None:
    slots = deck(boards("5h Ah 2h 3h", "6d Ad 2d 3d", "7c Ac 2c 3c"))
    hand = play(new([DEEP] * 3), "c r c f")  # seat 2 brings in and folds to the completion
    assert [hand.me(seat)["cards"][:4].tolist() for seat in range(3)] == [
        [slots[0], slots[3], slots[6], slots[9]],
        [slots[1], slots[4], slots[7], slots[10]],
        [slots[2], slots[5], slots[8], 255],
    ]
    assert hand.table["n_up"][:3].tolist() == [2, 2, 1]


@pytest.mark.parametrize("n", range(2, 9))
def test_B1_seats_and_antes(n: int) -> None:
    hand = new([DEEP] * n, limits=(3, 5, 20, 40))
    assert hand.table["hand_chips"][:n].tolist() == [3] * n
    assert hand.table["pot_chips"] == 3 * n
    assert new([DEEP] * n, limits=(0, 5, 20, 40)).table["pot_chips"] == 0


def test_B1_bring_in_of_one_small_bet() -> None:
    hand = new([DEEP] * 3, limits=(1, 20, 20, 40))
    assert offer(hand) == (2, "c", 20, 0)
    assert offer(play(hand, "c")) == (0, "fcr", 20, 40)
    assert hand.table["n_bets"] == 1
    assert offer(play(hand, "r r r")) == (0, "fc", 40, 0)
    assert hand.table["street_bet_chips"] == 80


@pytest.mark.parametrize(("kind", "expected", "n_bets"), [("full", (20, 40), 1), ("posted", (12, 20), 0)])
def test_B1_P2_short_bring_in_of_one_small_bet(kind: str, expected: tuple[int, int], n_bets: int) -> None:
    """The structure's bring-in is a full bet, 12 posted of 20 is not; completion is to one small bet."""
    hand = play(new([DEEP, DEEP, 13], limits=(1, 20, 20, 40), short_bring_in=kind), "c")
    assert (offer(hand)[2:], int(hand.table["n_bets"])) == (expected, n_bets)


@pytest.mark.parametrize(
    ("doors", "owner"),
    [
        ("2c Qh Qd Js", 1),  # rank first, then hearts over diamonds
        ("Kc Ks Kh Kd", 1),
        ("Kc Kd Kh 2s", 2),
        ("Kd Kc 2h 2s", 0),
        ("As Qc 2s Jd", 1),  # the ace is the lowest card
        ("Ac Ad Ah As", 3),
        ("2c As Ah Ad", 0),
    ],
)
def test_B2_highest_door_card_owes_the_bring_in(doors: str, owner: int) -> None:
    hand = new([DEEP] * 4, boards(*doors.split()))
    assert (hand.table["bring_in_seat"], hand.table["opener"], hand.actor) == (owner, owner, owner)


def test_B3_B4_bring_in_completion_raises_and_no_option() -> None:
    hand = new([DEEP] * 3)
    assert offer(hand) == (2, "cr", 5, 20)
    with pytest.raises(IllegalAction, match=r"seat 2 on street 3: 0 is not legal; 1 \(call\), 2 \(raise\)"):
        hand.apply(0)
    assert offer(play(hand, "c")) == (0, "fcr", 5, 20)
    assert offer(play(hand, "c")) == (1, "fcr", 5, 20)
    play(hand, "c")
    assert hand.table["street"] == 4, "the owner of the bring-in gets no option"
    assert offer(play(new([DEEP] * 3), "r r"))[2:] == (40, 60)


def test_B3_short_owner_may_go_all_in_as_a_short_completion() -> None:
    assert offer(new([500, 500, 13])) == (2, "cr", 5, 12)  # 5 < 12 < 20
    assert offer(play(new([500, 500, 13]), "r")) == (0, "fcr", 12, 20)  # 2 x (12 - 5) < 20
    assert offer(new([500, 500, 6])) == (2, "c", 5, 0)  # P2: all it has
    assert offer(new([500, 500, 4])) == (2, "c", 3, 0)


def test_B4_all_fold_to_the_bring_in() -> None:
    hand = play(new([500] * 3), "c f f")
    hand.settle()
    assert hand.net == [-1, -1, 2]
    assert hand.state["uncalled_chips"] == 5
    assert hand.state["uncalled_seat"] == 2
    assert hand.shown == set()
    assert hand.show_order == []


@pytest.mark.parametrize(
    ("ups", "openers"),
    [
        # S0: an eight-low acts before a pair of sevens; pairs lose to any unpaired hand
        (("Kc 7d 3c 2c", "8h 7h 5h 4h", "7c 7s Ah As"), [1, 1, 1]),
        (("Kc Qd Jc Tc", "Ad As 2d 3d", "2h 2s 3h 4h"), [0, 0, 0]),
        (("Kc Kd 2c 2d", "5h 5s 6h 6s", "4c 4d 7c 7d"), [2, 2, 1]),  # pairs, then two pairs: the top pair decides
        (("Kc Kd Kh 2d", "5h 5s 6h 6s", "4c 4d 4h 7d"), [2, 1, 1]),  # trips lose to a pair and to two pair
        (("Kc Kd Kh Ks", "5h 5s 5d 6s", "4c 4d 4h 4s"), [2, 2, 1]),  # quads are the worst
        (("Kc 2d 3c 4d", "5h 6h 7h 8h", "Ac 9d 9c 9s"), [1, 1, 1]),  # straights and flushes do not count
    ],
)
def test_B5_lowest_exposed_hand_opens(ups: tuple[str, ...], openers: list[int]) -> None:
    hand, found = passive(new([DEEP] * 3, boards(*ups)), 4), []
    for street in (4, 5, 6):
        assert hand.table["street"] == street
        found.append(hand.actor)
        passive(hand, street + 1)
    assert found == openers


@pytest.mark.parametrize(
    ("ups", "tied", "high_suit", "seat_order"),
    [
        (("Ks Kd", "3h Qc", "Qd 3d"), (1, 2), 2, 1),  # the suit of the highest rank, in whatever order dealt
        (("Ks Kd", "As 2c", "Ac 2s"), (1, 2), 2, 1),  # the ace is low: the deuce decides
        (("Ks Kd", "Qh Qc", "Qs Qd"), (1, 2), 2, 1),  # paired: the best suit of that rank
        (("Ks Kd", "Qs Jc", "Qh Js"), (1, 2), 1, 1),
    ],
)
def test_B6_tied_exposed_hands(ups: tuple[str, ...], tied: tuple[int, int], high_suit: int, seat_order: int) -> None:
    assert passive(new([DEEP] * 3, boards(*ups)), 4).actor == high_suit
    assert passive(new([DEEP] * 3, boards(*ups), tied_low_opener="seat_order"), 4).actor == seat_order
    hand = passive(new([DEEP] * 3, boards(*ups), tied_low_opener="seat_order", button=tied[0]), 4)
    assert hand.actor == tied[1], "B12: first clockwise from the dealer"


def test_B7_an_all_in_lowest_hand_counts_as_having_checked() -> None:
    hand = passive(new([6, DEEP, DEEP, DEEP]), 4)  # seat 0 shows the lowest hand and is all-in
    assert hand.table["street"] == 4
    assert hand.actor == hand.table["opener"] == 1
    hand = passive(new([DEEP, 6, 6, DEEP, DEEP]), 4)
    assert offer(play(hand, "f"))[0] == 3
    assert offer(passive(hand, 5))[0] == 3


def test_B8_small_bet_then_big_bet_even_for_an_open_pair() -> None:
    hand = passive(new([DEEP] * 3, boards("Kc 9c 8c 7c", "5h 5s 6h 6s", "4c 4d 7d 7h")), 4)
    for street, bet in ((4, 20), (5, 40), (6, 40), (7, 40)):
        assert hand.table["street"] == street
        assert offer(hand)[3] == bet
        assert offer(play(hand, "r"))[2:] == (bet, 2 * bet)
        passive(hand, street + 1)


def test_B9_seventh_is_down_and_the_sixth_street_opener_opens() -> None:
    hand = passive(new([DEEP] * 4), 6)
    assert hand.actor == 0
    passive(hand, 7)
    assert hand.actor == 0
    assert hand.table["n_up"][:4].tolist() == [4] * 4
    assert [int(hand.me(seat)["n_cards"]) for seat in range(4)] == [7] * 4
    hand = play(passive(new([DEEP] * 4), 6), "f c c c")
    assert (hand.table["street"], hand.actor) == (7, 1), "the opener folded: the next lowest opens"
    hand = play(passive(new([86, DEEP, DEEP, DEEP]), 5), "r c c c r c c c")
    assert (hand.table["street"], hand.actor) == (7, 1), "the opener is all-in: next clockwise"


def test_B10_F9_fold_with_nothing_to_call() -> None:
    hand = fourth([DEEP] * 3)
    assert offer(hand) == (0, "fcr", 0, 20)
    assert live_seats(play(hand, "f c f")) == [1]
    assert hand.is_over
    hand.settle()
    assert hand.net == [-6, 12, -6]


@pytest.mark.parametrize(("cap", "last"), [(1, 20), (3, 60), (4, 80), (5, 100)])
def test_B11_cap(cap: int, last: int) -> None:
    third = play(new([DEEP] * 3, max_bets=cap), "c" + " r" * cap)
    later = play(fourth([DEEP] * 3, max_bets=cap), " r" * cap)
    for hand in (third, later):
        assert hand.table["street_bet_chips"] == last
        assert hand.table["n_bets"] == cap
        assert offer(hand)[1] == "fc", "the bring-in is no bet, the completion is the first"


def test_B11_no_cap_and_heads_up_cap() -> None:
    hand = play(new([85, 85], max_bets=None), "c r r r r r")
    assert offer(hand) == (1, "fc", 4, 0), "only the stacks end it"
    uncapped = "uncapped_if_round_starts_heads_up"
    assert offer(play(fourth([DEEP] * 2, heads_up_cap=uncapped), "r r r r r r"))[3] == 140
    assert offer(play(fourth([DEEP] * 3, heads_up_cap=uncapped), "f r r r r"))[3] == 0, "it began three-handed"
    hand = play(new([6, DEEP, DEEP], heads_up_cap=uncapped), "c c c r r r r r")
    assert offer(hand)[3] == 120, "an all-in third seat does not count"
    assert offer(play(fourth([DEEP] * 2), "r r r r"))[3] == 0, "capped: pokerstars"


def test_B12_dealer_decides_who_is_first() -> None:
    ups = ("Ks Kd", "3h Qc", "Qd 3d", "Qs 3s")
    for button, opener in ((-1, 1), (0, 1), (1, 2), (2, 3), (3, 1)):
        hand = passive(new([DEEP] * 4, boards(*ups), tied_low_opener="seat_order", button=button), 4)
        assert hand.actor == opener


P3_ROWS = [
    # stacks on fourth, actions, then (actor, legal, to call, raise to)
    ([15, DEEP, DEEP], "r", (1, "fcr", 15, 35)),
    ([9, DEEP, DEEP], "r", (1, "fcr", 9, 20)),
    ([DEEP, 26, DEEP], "r r", (2, "fcr", 26, 40)),
    ([DEEP, 26, DEEP], "r r c", (0, "fc", 6, 0)),
    ([DEEP, 30, DEEP], "r r", (2, "fcr", 30, 50)),
    ([DEEP, 30, DEEP], "r r c", (0, "fcr", 10, 50)),
    ([DEEP, 26, DEEP, 32, DEEP], "r r c r", (4, "fcr", 32, 52)),
    ([DEEP, 26, DEEP, 32, DEEP], "r r c r c", (0, "fcr", 12, 52)),
    ([DEEP, 26, DEEP, 32, DEEP], "r r c r c c", (2, "fc", 6, 0)),
    ([DEEP, 26, DEEP], "r r r", (0, "fcr", 20, 60)),
    ([DEEP, 9, DEEP], "c r c", (0, "fc", 9, 0)),  # a check is an action; 9 is under half
    ([DEEP, 10, DEEP], "c r c", (0, "fcr", 10, 30)),  # 10 is half
    ([DEEP, 6, 14, DEEP], "c r r c", (0, "fcr", 14, 34)),  # two shorts add up
]


@pytest.mark.parametrize(("stacks", "actions", "expected"), P3_ROWS)
def test_P3_half_bet_rows(stacks: list[int], actions: str, expected: tuple[int, str, int, int]) -> None:
    assert offer(play(fourth(stacks), actions)) == expected


@pytest.mark.parametrize(
    ("stacks", "actions", "expected"),
    [
        ([9, DEEP, DEEP], "r", (1, "fcr", 9, 29)),
        ([15, DEEP, DEEP], "r", (1, "fcr", 15, 35)),
        ([DEEP, 26, DEEP], "r r", (2, "fcr", 26, 46)),
        ([DEEP, 26, DEEP], "r r c", (0, "fc", 6, 0)),
        ([DEEP, 30, DEEP], "r r c", (0, "fcr", 10, 50)),
        ([DEEP, 26, DEEP, 32, DEEP], "r r c r c c", (2, "fc", 6, 0)),
    ],
)
def test_P3_full_on_top_rows(stacks: list[int], actions: str, expected: tuple[int, str, int, int]) -> None:
    assert offer(play(fourth(stacks, short_all_in="full_on_top"), actions)) == expected


@pytest.mark.parametrize(("all_in", "raise_to"), [(125, 200), (149, 200), (150, 350), (199, 399)])
def test_P3_short_completions(all_in: int, raise_to: int) -> None:
    hand = play(new([all_in + 10, DEEP, DEEP], limits=(10, 50, 200, 400)), "c r")
    assert offer(hand) == (1, "fcr", all_in, raise_to)


def test_P3_bringing_in_and_calling_it_are_actions() -> None:
    hand = play(new([DEEP, 135, DEEP, DEEP], limits=(10, 50, 200, 400)), "c c r c")
    assert offer(hand) == (3, "fc", 75, 0)  # brought in 50; 125 is short
    assert offer(play(hand, "c")) == (0, "fc", 75, 0)
    hand = play(new([DEEP, 160, DEEP, DEEP], limits=(10, 50, 200, 400)), "c c r c")
    assert offer(hand) == (3, "fcr", 100, 350)
    assert offer(play(hand, "c")) == (0, "fcr", 100, 350)


def test_P3_real_merge_row() -> None:
    hand = fourth([DEEP, DEEP, 585, DEEP], limits=(5, 50, 200, 400))
    assert offer(play(hand, "r r r")) == (3, "fcr", 585, 785)
    assert offer(play(hand, "r c"))[3] == 0
    assert hand.table["n_bets"] == 4


P4_ROWS = [
    # counts, stacks, actions, bets counted, (legal, raise to) of the next seat
    ("half", 66, "r r r r", 3, ("fcr", 80)),
    ("half", 66, "r r r r r", 4, ("fc", 0)),
    ("half", 70, "r r r r", 4, ("fc", 0)),
    ("none", 66, "r r r r", 3, ("fcr", 80)),
    ("none", 70, "r r r r", 3, ("fcr", 90)),
    ("all", 66, "r r r r", 4, ("fc", 0)),
    ("all", 70, "r r r r", 4, ("fc", 0)),
]


@pytest.mark.parametrize(("counts", "all_in", "actions", "n_bets", "expected"), P4_ROWS)
def test_P4_short_all_ins_and_the_cap(
    counts: str, all_in: int, actions: str, n_bets: int, expected: tuple[str, int]
) -> None:
    hand = play(fourth([DEEP] * 3 + [all_in, DEEP], short_all_in_counts_to_cap=counts), actions)
    assert (int(hand.table["n_bets"]), offer(hand)[1], offer(hand)[3]) == (n_bets, *expected)


def test_P4_no_short_raise_at_the_cap() -> None:
    hand = play(fourth([DEEP, DEEP, DEEP, DEEP, 85]), "r r r r")
    assert offer(hand) == (4, "fc", 80, 0)


def test_F8_F10_completion_then_re_raise() -> None:
    """Limits 4/8, bring-in 2: complete to 4, re-raise to 8; four bets at PokerStars, five under a cap of five."""
    hand = play(new([DEEP] * 3, limits=(1, 2, 4, 8)), "c r")
    assert hand.table["street_bet_chips"] == 4
    assert offer(hand)[3] == 8
    assert play(hand, "r r r").table["street_bet_chips"] == 16
    assert offer(hand)[3] == 0
    hand = play(new([DEEP] * 3, limits=(1, 2, 4, 8), max_bets=5), "c r r r r")
    assert offer(hand)[3] == 20


def test_F14_F15_bring_in_is_no_raise_and_a_completion_is() -> None:
    hand = play(new([DEEP] * 3), "c")
    assert hand.table["n_bets"] == 0
    assert hand.table["last_aggressor"] == -1
    hand = play(new([DEEP] * 3), "r")  # F15: the owner may complete at once
    assert hand.table["n_bets"] == 1
    assert hand.table["last_aggressor"] == 2
    assert hand.table["bring_in_seat"] == 2
    assert finish(hand).net[2] in (-21, 42)


def test_errors_when_nothing_is_due() -> None:
    hand = new([DEEP] * 2)
    with pytest.raises(HandIsOver, match="a seat must act"):
        hand.deal()
    passive(hand)
    with pytest.raises(HandIsOver, match="nobody is to act"):
        hand.apply(1)
