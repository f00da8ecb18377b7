"""Pots, cards that run out and showdowns under the pokerstars preset, with stacked decks: P1, P2, P5-P8, X0-X4, D1-D3.

Authority: the rules specification (ids in the names) and the list of faults reported of other software (F22, F26).
"""

from collections.abc import Sequence
from typing import Any

import pytest

from razzsim.engine.cards import NO_CARD
from razzsim.engine.hand import Hand
from tests.engine.stacked import DEEP, UPS, boards, deck, finish, fourth, new, offer, passive, play
from tests.invariants import live_seats

WHEEL = "Ac 2d 3h 4s 5c Kc Kd"
SIX = "Ad 2h 3s 4c 6c Kh Ks"
SEVEN = "Ah 2s 3c 4d 7c Qc Qd"
EIGHT = "As 2c 3d 4h 8c Qh Qs"
HANDS = (WHEEL, SIX, SEVEN, EIGHT)
"""Best first; door cards 3h 3s 3c 3d, so seat 1 brings in; 4s opens fourth; Q-7 opens sixth and seventh."""


def pots(hand: Hand) -> list[tuple[int, tuple[int, ...], tuple[int, ...]]]:
    return [(pot.chips, pot.seats, pot.winners) for pot in hand.pots]


# ---- short stacks ------------------------------------------------------------------------------


def test_P1_ante_all_in_plays_for_what_it_covers() -> None:
    hand = finish(new([4, DEEP, DEEP], [WHEEL, SIX, SEVEN], limits=(7, 10, 40, 80)))
    assert pots(hand) == [(12, (0, 1, 2), (0,)), (6 + 20, (1, 2), (1,))]
    assert hand.net == [8, 9, -17]


def test_P1_displaced_bring_in_forced_or_may_fold() -> None:
    stacks = [DEEP, DEEP, DEEP, 1]  # seat 3 has the highest door card and is all-in from the ante
    hand = new(stacks)
    assert offer(hand) == (0, "cr", 5, 20)
    assert hand.table["bring_in_seat"] == 0
    assert offer(new([DEEP] * 3, displaced_bring_in="may_fold")) == (2, "cr", 5, 20), "B3: not the owner itself"
    hand = new(stacks, displaced_bring_in="may_fold")
    assert offer(hand) == (0, "fcr", 5, 20)
    assert offer(play(hand, "f")) == (1, "fcr", 5, 20)
    assert hand.table["bring_in_seat"] == 1
    assert offer(play(hand, "r"))[:3] == (2, "fcr", 20)
    hand = play(new(stacks, displaced_bring_in="may_fold"), "f f")
    assert hand.is_over, "P6: nobody to bet at"
    assert (live_seats(hand), hand.table["bring_in_seat"]) == ([2, 3], -1)
    assert offer(new([1, DEEP, DEEP, 1]))[0] == 1, "the next clockwise that has chips"


def test_P2_short_bring_in_full_or_posted() -> None:
    for kind, owed in (("full", 5), ("posted", 3)):
        hand = new([DEEP, DEEP, 4], short_bring_in=kind)
        assert offer(hand) == (2, "c", 3, 0)
        assert offer(play(hand, "c")) == (0, "fcr", owed, 20), kind
        assert offer(play(hand, "r")) == (1, "fcr", 20, 40)


def test_P2_F22_bring_in_all_in_heads_up() -> None:
    """Full Tilt: ante 15, stack 24: bring-in 9 all-in, the other calls 9 and the pot is 48."""
    hand = new([976, 24], [WHEEL, SIX], limits=(15, 25, 80, 160))
    assert offer(hand) == (1, "c", 9, 0)
    assert offer(play(hand, "c")) == (0, "fc", 9, 0)
    assert pots(finish(hand)) == [(48, (0, 1), (0,))]


def test_P2_a_call_never_exceeds_what_opponents_can_put_in() -> None:
    hand = play(new([DEEP, 5, 4]), "c")  # bring-in 3 all-in of 5; seat 1 has 4 left
    assert offer(hand)[2] == 4, "seat 1 may still put in 4"
    assert offer(play(hand, "f"))[1:] == ("fc", 3, 0), "only 3 can be matched"


def test_P5_F22_antes_of_7_and_6_heads_up() -> None:
    hand = new([994, 6], [SIX, WHEEL], limits=(7, 12, 40, 80))
    assert (hand.is_over, hand.table["bring_in_seat"], hand.table["street"]) == (True, -1, 7), "no bring-in, dealt out"
    hand.settle()
    assert pots(hand) == [(12, (0, 1), (1,))]
    assert hand.net == [-6, 6]
    assert (hand.state["uncalled_seat"], hand.state["uncalled_chips"]) == (0, 1)


def test_P5_layers_folded_chips_and_uncalled() -> None:
    hand = finish(play(fourth([10, 30, DEEP, DEEP], cards=HANDS), "r r r c"))  # to 10, 30, 50
    assert pots(hand) == [(64, (0, 1, 2, 3), (0,)), (60, (1, 2, 3), (1,)), (40, (2, 3), (2,))]
    hand = finish(play(fourth([10, 30, DEEP, DEEP], cards=HANDS), "r r r f"))
    assert pots(hand) == [(54, (0, 1, 2), (0,)), (40, (1, 2), (1,))]
    assert (hand.state["uncalled_seat"], hand.state["uncalled_chips"]) == (2, 20)


def test_P5_uncalled_counts_folded_seats_too() -> None:
    hand = play(fourth([DEEP] * 3), "r f r f")
    hand.settle()
    assert (hand.state["uncalled_seat"], hand.state["uncalled_chips"]) == (2, 20)
    assert hand.net == [-26, -6, 32]


def test_P6_betting_stops_with_one_seat_that_owes_nothing() -> None:
    hand = play(fourth([20, DEEP]), "r c")
    assert hand.is_over
    assert hand.table["street"] == 7
    assert hand.table["n_history"].tolist() == [2, 2, 0, 0, 0]
    hand = play(fourth([15, DEEP]), "r")
    assert offer(hand) == (1, "fc", 15, 0), "it owes: fold or call, no raise"
    hand = play(fourth([15, DEEP, DEEP]), "r c")
    assert offer(hand) == (2, "fcr", 15, 35)
    assert play(hand, "c").table["street"] == 5
    assert offer(hand)[0] == 1
    assert new([1, 1]).is_over
    assert new([1, DEEP]).is_over
    assert new([1, 1, DEEP]).table["bring_in_seat"] == -1


# ---- odd chips and rake -------------------------------------------------------------------------

SEVENS = ("7s 2c 3c 4c 5c Kc Kd", "7h 2d 3d 4d 5d Kh Ks", "7d 2h 3h 4h 5h Qh Qs")
FOLDS = "Jc Jd Js Jh Td Th Tc"


@pytest.mark.parametrize(
    ("kind", "order", "button", "shares"),
    [
        ("high_card_by_suit", (0, 1, 2), -1, [34, 34, 33]),
        ("high_card_by_suit", (2, 1, 0), -1, [33, 34, 34]),
        ("high_card_by_suit", (0, 2, 1), -1, [34, 33, 34]),
        ("low_card_by_suit", (0, 1, 2), -1, [34, 34, 33]),  # deuces of clubs, diamonds, hearts
        ("low_card_by_suit", (2, 1, 0), -1, [33, 34, 34]),
        ("seat_order", (2, 1, 0), -1, [34, 34, 33]),
        ("seat_order", (0, 1, 2), 0, [33, 34, 34]),
        ("seat_order", (0, 1, 2), 1, [34, 33, 34]),
    ],
)
def test_P7_101_among_three_sevens(kind: str, order: tuple[int, ...], button: int, shares: list[int]) -> None:
    """Three all-in with 33 each; the fourth seat folded its ante 1 and bring-in 1."""
    hands = [*(SEVENS[i] for i in order), FOLDS]
    hand = new([33, 33, 33, DEEP], hands, limits=(1, 1, 32, 64), odd_chip=kind, button=button)
    play(hand, "c r c c f").settle()
    assert pots(hand) == [(101, (0, 1, 2), (0, 1, 2))]
    assert [net + 33 for net in hand.net[:3]] == shares


@pytest.mark.parametrize(
    ("kind", "first", "second", "lucky"),
    [
        ("high_card_by_suit", "7s 2d 3d 4d 5d Qc Qd", "7c 7d 2c 3c 4c 5c Kh", 0),
        ("high_card_by_suit", "7h 2d 3d 4d 5d Qc Qd", "7c 7s 2c 3c 4c 5c Kh", 1),  # its best suit
        ("high_card_by_suit", "7h 2s 3d 4d 5d Qc Qd", "7c 7d 2c 3c 4c 5c Kh", 0),
        ("low_card_by_suit", "7s 2d 3d 4d 5d Qc Qd", "7h 2c 3h 4c 5c 2s Kh", 1),  # its lowest deuce
        ("low_card_by_suit", "7s 2h 2d 4d 5d 3d Qd", "7h 2s 3h 4c 5c Qs Kh", 0),
    ],
)
def test_P7_duplicate_ranks(kind: str, first: str, second: str, lucky: int) -> None:
    """Two all-in with 21 each; the third seat folded its ante 1 and bring-in 4: a pot of 47."""
    hand = new([21, 21, DEEP], [first, second, FOLDS], limits=(1, 4, 20, 40), odd_chip=kind)
    play(hand, "c r c f").settle()
    assert pots(hand) == [(47, (0, 1), (0, 1))]
    assert hand.net[lucky] == 3
    assert hand.net[1 - lucky] == 2


@pytest.mark.parametrize(
    ("kind", "own", "shared", "lucky"),
    [
        ("high_card_by_suit", "Kc", "7s", 2),  # the fives decide: diamonds
        ("low_card_by_suit", "Kc", "7s", 1),  # the deuces: clubs
        ("seat_order", "Kc", "7s", 1),
        ("high_card_by_suit", "7c", "7s", 2),  # the best seven of both is 7s
        ("high_card_by_suit", "7s", "7c", 1),  # its own seven is better
    ],
)
def test_P7_community_card_is_passed_over(kind: str, own: str, shared: str, lucky: int) -> None:
    """Eight live, so seventh is one card for all. Side pot 35 between equal lows of seats 1 and 2."""
    hands = ["-- -- -- --", f"2c 3c 4c 5c {own} Kd", "2d 3d 4d 5d Kh Ks", *["-- -- --"] * 5]
    hand = finish(new([1] + [DEEP] * 7, hands, spare=shared, odd_chip=kind))
    assert pots(hand)[0] == (8, tuple(range(8)), (1, 2))
    assert pots(hand)[1] == (35, tuple(range(1, 8)), (1, 2))
    assert hand.net[lucky] == 4 + 18 - 6
    assert hand.net[3 - lucky] == 4 + 17 - 6


@pytest.mark.parametrize(
    ("rake", "taken"),
    [
        (None, [0, 0, 0]),
        ({"take": 1, "per": 20, "cap": 100, "from_street": 3}, [3, 3, 2]),
        ({"take": 1, "per": 20, "cap": 5, "from_street": 3}, [3, 2, 0]),
        ({"take": 3, "per": 50, "cap": 100, "from_street": 7}, [3, 3, 0]),
    ],
)
def test_P8_rake_by_pot_main_pot_first(rake: dict[str, int] | None, taken: list[int]) -> None:
    hand = finish(play(fourth([10, 30, DEEP, DEEP], cards=HANDS, rake=rake), "r r r c"))
    assert [pot.rake_chips for pot in hand.pots] == taken
    assert [pot.chips + pot.rake_chips for pot in hand.pots] == [64, 60, 40]


def test_P8_no_rake_on_uncalled_chips_or_before_its_street() -> None:
    rake = {"take": 1, "per": 20, "cap": 100, "from_street": 4}
    hand = play(fourth([DEEP] * 3, rake=rake), "r f f")
    hand.settle()
    assert (hand.pots[0].chips, hand.pots[0].rake_chips) == (18, 0), "20 uncalled chips would have made it 38"
    hand = play(new([DEEP] * 3, rake=rake), "r r f f")
    hand.settle()
    assert hand.pots[0].chips == 43
    assert hand.state["rake_chips"] == 0


# ---- cards --------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", range(2, 9))
def test_X0_cards_do_not_depend_on_the_play(n: int) -> None:
    slots = deck(boards(*UPS[:n]))
    lines = [passive(new([DEEP] * n)), passive(play(new([DEEP] * n), "c" + " f" * (n - 2)))]
    for hand in lines:
        for seat in live_seats(hand):
            assert hand.me(seat)["cards"][:6].tolist() == [slots[card_no * n + seat] for card_no in range(6)]
            if n < 8:
                assert hand.me(seat)["cards"][6] == slots[6 * n + seat]


def fold_to(n: int, n_live: int, street: int, **changes: Any) -> Hand:
    """n seats play passively, but on this street all but n_live fold; the hand stands on seventh."""
    hand = passive(new([DEEP] * n, **changes), street)
    return passive(play(hand, "c" + " f" * (n - n_live)), 7)


X1_COMMUNITY = {(8, street) for street in range(3, 7)} | {(7, 4), (7, 5), (7, 6), (6, 6), (5, 6)}


@pytest.mark.parametrize("street", range(3, 7))
@pytest.mark.parametrize("n_live", range(2, 9))
def test_X1_eight_dealt_whole_table(n_live: int, street: int) -> None:
    hand, slots = fold_to(8, n_live, street), deck(boards(*UPS))
    assert len(live_seats(hand)) == n_live
    assert hand.table["street"] == 7
    sevenths = [int(hand.me(seat)["cards"][6]) for seat in live_seats(hand)]
    if (n_live, street) in X1_COMMUNITY:
        assert hand.table["community"] == slots[48]
        assert set(sevenths) == {slots[48]}
        return
    assert hand.table["community"] == NO_CARD
    folded = [seat for seat in range(8) if seat not in live_seats(hand)]
    pool = [*range(48, 52), *(8 * card_no + seat for card_no in range(street, 6) for seat in folded)]
    assert sevenths == [slots[slot] for slot in pool[:n_live]]


X2_COMMUNITY = {
    *((n_live, street) for n_live in (7, 8) for street in range(3, 7)),
    *((6, street) for street in (5, 6)),
    *((n_live, 6) for n_live in (3, 4, 5)),
}


@pytest.mark.parametrize("street", range(3, 7))
@pytest.mark.parametrize("n_live", range(2, 9))
def test_X2_wsop_stub_whole_table(n_live: int, street: int) -> None:
    """C and Cs deal a community card, N and S do not: the two that differ for the players."""
    hand = fold_to(8, n_live, street, deck_exhaustion="wsop_stub")
    assert (hand.table["community"] != NO_CARD) == ((n_live, street) in X2_COMMUNITY)


@pytest.mark.parametrize("n", range(2, 8))
def test_X1_seven_or_fewer_dealt_never_run_out(n: int) -> None:
    for rule in ("wsop_stub", "community_card"):
        hand = passive(new([DEEP] * n, deck_exhaustion=rule), 7)
        assert hand.table["community"] == NO_CARD
    assert len({int(hand.me(s)["cards"][6]) for s in range(n)}) == n


def test_X3_F26_the_community_card_is_everyones_seventh_and_no_exposed_card() -> None:
    hand = fold_to(8, 8, 6, spare="Ks")
    assert hand.actor == hand.table["opener"] == 0, "B9: the sixth-street opener"
    assert hand.table["n_up"].tolist() == [4] * 8
    assert (hand.table["up"] != hand.table["community"]).all()
    for seat in range(8):
        cards = hand.me(seat)["cards"][:7].tolist()
        assert len(set(cards)) == 7
        assert cards[6] == hand.table["community"]


def test_X4_folded_cards_never_return() -> None:
    hand = fold_to(8, 6, 5)
    dealt = [card for seat in range(8) for card in hand.me(seat)["cards"].tolist() if card != NO_CARD]
    assert len(dealt) == len(set(dealt)) == 6 * 7 + 2 * 5


# ---- showdown -----------------------------------------------------------------------------------


def showdown(stacks: Sequence[int], seventh: str, **changes: Any) -> tuple[list[int], set[int]]:
    """(order, shown) after these actions on seventh; before it all check and call."""
    hand = passive(new(stacks, HANDS, **changes), 7)
    play(hand, seventh).settle()
    return hand.show_order, hand.shown


def test_D1_last_to_bet_or_raise_on_seventh_shows_first() -> None:
    assert showdown([DEEP] * 4, "c r c c c") == ([3, 0, 1, 2], {0, 3})  # seat 2 opens
    assert showdown([DEEP] * 4, "r c r c c c") == ([0, 1, 2, 3], {0})
    assert showdown([DEEP] * 4, "r f c r c f") == ([1, 2], {1})


def test_D1_side_pot_seats_show_before_the_main_pot_only() -> None:
    assert showdown([DEEP, 6, DEEP, DEEP], "c r c c") == ([3, 0, 2, 1], {0, 1, 2, 3})
    hand = passive(play(passive(new([6, 6, DEEP, DEEP], HANDS), 6), "r c"))  # a side pot, and seventh checked
    hand.settle()
    assert hand.show_order == [0, 2, 3, 1], "D2 names seat 0; then the side pot, then the rest of the main pot"


@pytest.mark.parametrize(
    ("kind", "stacks", "button", "order"),
    [
        ("first_seat", [DEEP] * 4, -1, [0, 1, 2, 3]),
        ("first_seat", [DEEP] * 4, 1, [2, 3, 0, 1]),
        ("low_hand", [DEEP] * 4, -1, [2, 3, 0, 1]),
        ("opener", [DEEP] * 4, -1, [2, 3, 0, 1]),
        ("low_hand", [DEEP, DEEP, 6, DEEP], -1, [2, 3, 0, 1]),
        ("opener", [DEEP, DEEP, 6, DEEP], -1, [3, 0, 1, 2]),
    ],
)
def test_D2_seventh_checked(kind: str, stacks: list[int], button: int, order: list[int]) -> None:
    checks = " ".join("c" for chips in stacks if chips == DEEP)
    assert showdown(stacks, checks, checked_showdown=kind, button=button)[0] == order


def test_D3_who_shows() -> None:
    assert showdown([DEEP] * 4, "c c c c", button=1) == ([2, 3, 0, 1], {0, 2})
    assert showdown([DEEP] * 4, "r f f f") == ([], set()), "all others folded"
    tied = passive(new([DEEP] * 3, SEVENS))
    tied.settle()
    assert tied.shown == {0, 1, 2}, "a tie with a hand shown is shown"
