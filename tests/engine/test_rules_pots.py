"""Pots, cards that run out and showdowns under the pokerstars preset, with stacked decks: P1, P2, P5-P8, X0-X4, D1-D3.

Authority: the rules specification (ids in the names) and the list of faults reported of other software (F22, F26).
"""

from collections.abc import Sequence

import pytest

from razzsim.engine.cards import NO_CARD
from razzsim.engine.hand import Hand
from tests.engine.stacked import DEEP, LIMITS, boards, deck, finish, fourth, new, offer, passive, play
from tests.invariants import live_seats

WHEEL = "Ac 2d 3h 4s 5c Kc Kd"
SIX = "Ad 2h 3s 4c 6c Kh Ks"
SEVEN = "Ah 2s 3c 4d 7c Qc Qd"
EIGHT = "As 2c 3d 4h 8c Qh Qs"
"""Four hands, best first; on third the seats show 3h 3s 3c 3d."""


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
    assert offer(hand) == (0, "cr", 5, 20) and hand.table["bring_in_seat"] == 0
    hand = new(stacks, displaced_bring_in="may_fold")
    assert offer(hand) == (0, "fcr", 5, 20)
    assert offer(play(hand, "f")) == (1, "fcr", 5, 20) and hand.table["bring_in_seat"] == 1
    assert offer(play(hand, "r"))[:3] == (2, "fcr", 20)
    hand = play(new(stacks, displaced_bring_in="may_fold"), "f f")
    assert hand.is_over and live_seats(hand) == [2, 3] and hand.table["bring_in_seat"] == -1, "P6: nobody to bet at"
    assert offer(new([DEEP, 1, DEEP, 1]))[0] == 0, "the next clockwise that has chips"


def test_P2_short_bring_in_full_or_posted() -> None:
    for kind, owed in (("full", 5), ("posted", 3)):
        hand = new([DEEP, DEEP, 4], short_bring_in=kind)
        assert offer(hand) == (2, "c", 3, 0)
        assert offer(play(hand, "c")) == (0, "fcr", owed, 20), kind
        assert offer(play(hand, "r")) == (1, "fcr", 20, 40)


def test_P2_F22_bring_in_all_in_heads_up() -> None:
    """Full Tilt: ante 15, stack 24: bring-in 9 all-in, the other calls 9 and the pot is 48."""
    hand = new([976, 24], [WHEEL, SIX.replace("3s", "Ks", 1)[:-2] + "3s"], limits=(15, 25, 80, 160))
    assert offer(hand) == (1, "c", 9, 0)
    assert offer(play(hand, "c")) == (0, "fc", 9, 0)
    assert pots(finish(hand)) == [(48, (0, 1), (0,))]


def test_P2_a_call_never_exceeds_what_opponents_can_put_in() -> None:
    hand = play(new([DEEP, 5, 4]), "c")  # bring-in 3 all-in of 5; seat 1 has 4 left
    assert offer(hand)[2] == 4, "seat 1 may still put in 4"
    assert offer(play(hand, "f"))[1:] == ("fc", 3, 0), "only 3 can be matched"


def test_P5_F22_antes_of_7_and_6_heads_up() -> None:
    hand = new([994, 6], [SIX, WHEEL], limits=(7, 12, 40, 80))
    assert hand.is_over and hand.table["bring_in_seat"] == -1 and hand.table["street"] == 7, "no bring-in, dealt out"
    hand.settle()
    assert pots(hand) == [(12, (0, 1), (1,))] and hand.net == [-6, 6]
    assert (hand.state["uncalled_seat"], hand.state["uncalled_chips"]) == (0, 1)


def test_P5_layers_folded_chips_and_uncalled() -> None:
    cards = [WHEEL, SIX, SEVEN, EIGHT]
    hand = play(fourth([10, 30, DEEP, DEEP], cards=cards), "")
    actor = hand.actor
    assert actor == 0, "the wheel shows 3h 4s"
    hand = play(hand, "r r r r c")  # 10 all-in, 20 (10 completes), 30 all-in is short ... see the totals
    hand.settle() if hand.is_over else finish(hand)
    put = hand.table["hand_chips"][:4].tolist()
    assert put[0] == 16 and put[1] == 36 and put[2] == put[3]
    assert pots(hand)[:2] == [(64, (0, 1, 2, 3), (0,)), (60, (1, 2, 3), (1,))]
    assert pots(hand)[2] == (2 * (put[2] - 36), (2, 3), (2,))


def test_P5_uncalled_counts_folded_seats_too() -> None:
    hand = play(fourth([DEEP] * 3), "r f r f")
    hand.settle()
    assert (hand.state["uncalled_seat"], hand.state["uncalled_chips"]) == (2, 20)
    assert hand.net == [-26, -6, 32]


def test_P6_betting_stops_with_one_seat_that_owes_nothing() -> None:
    hand = play(fourth([20, DEEP]), "r c")
    assert hand.is_over and hand.table["street"] == 7 and hand.table["n_history"].tolist() == [2, 2, 0, 0, 0]
    hand = play(fourth([15, DEEP]), "r")
    assert offer(hand) == (1, "fc", 15, 0), "it owes: fold or call, no raise"
    hand = play(fourth([15, DEEP, DEEP]), "r c")
    assert offer(hand) == (2, "fcr", 15, 35)
    assert play(hand, "c").table["street"] == 5 and offer(hand)[0] == 1
    assert new([1, 1]).is_over and new([1, DEEP]).is_over and new([1, 1, DEEP]).table["bring_in_seat"] == -1


# ---- odd chips and rake -------------------------------------------------------------------------

SPLIT = ["7s 2c 3c 4c 5c Kc Kd", "7h 2d 3d 4d 5d Kh Ks", "7d 2h 3h 4h 5h Qh Qs"]


def split_by(kind: str, hands: Sequence[str], button: int = -1) -> list[int]:
    """Shares of 101: three antes of 33 and a folded seat's 2."""
    n = len(hands) + 1
    hand = new([DEEP] * len(hands) + [2], [*hands, "Jc Jd Js Jh Td Th Tc"], limits=(33, 50, 200, 400), odd_chip=kind)
    hand = new(
        [33] * len(hands) + [2],
        [*hands, "Jc Jd Js Jh Td Th Tc"],
        limits=(33, 50, 200, 400),
        odd_chip=kind,
        button=button,
    )
    hand.settle()
    assert len(hand.net) == n
    return [pot_share for pot_share in hand.net[:-1]]


def test_P7_101_among_sevens_of_spades_hearts_diamonds() -> None:
    """A pot of 101: contributions 33, 33, 33 and 2 of a seat with a worse hand (8 in the main pot, 93 beside it)."""
    hand = new([34, 34, 33], SPLIT, limits=(40, 50, 200, 400))
    hand.settle()
    assert pots(hand) == [(99, (0, 1, 2), (0, 1, 2)), (2, (0, 1), (0, 1))]
    for antes, shares in (((34, 34, 33, 33), None), ((33, 33, 33, 2), [34, 34, 33])):
        del antes, shares
    assert split_101("high_card_by_suit") == [34, 34, 33]


def split_101(kind: str, order: Sequence[int] = (0, 1, 2), button: int = -1) -> list[int]:
    """Shares of one pot of 101: 33 + 33 + 33 from three equal lows in this order, 2 more from a seat that folded."""
    hands = [SPLIT[i] for i in order] + ["Jc Jd Js Jh Td Th Tc"]
    limits = (1, 1, 32, 64)
    # The fourth seat pays ante 1 and bring-in 1, then folds to the completion the others make of 32.
    hand = play(new([33, 33, 33, DEEP], hands, limits=limits, odd_chip=kind, button=button), "c r c c f")
    hand.settle()
    assert sum(pot.chips for pot in hand.pots) == 101 and len(hand.pots) == 1
    return [net + 33 for net in hand.net[:3]]


@pytest.mark.parametrize(
    ("kind", "order", "button", "shares"),
    [
        ("high_card_by_suit", (0, 1, 2), -1, [34, 34, 33]),
        ("high_card_by_suit", (2, 1, 0), -1, [33, 34, 34]),
        ("high_card_by_suit", (0, 2, 1), -1, [34, 33, 34]),
        ("low_card_by_suit", (0, 1, 2), -1, [34, 34, 33]),  # deuces: clubs, diamonds, hearts
        ("low_card_by_suit", (2, 1, 0), -1, [33, 34, 34]),
        ("seat_order", (2, 1, 0), -1, [34, 34, 33]),
        ("seat_order", (0, 1, 2), 0, [33, 34, 34]),
        ("seat_order", (0, 1, 2), 1, [34, 33, 34]),
    ],
)
def test_P7_odd_chips(kind: str, order: Sequence[int], button: int, shares: list[int]) -> None:
    assert split_101(kind, order, button) == shares


def two_way(hands: Sequence[str], **changes: object) -> list[int]:
    """Seats that get the odd chip of an odd pot two equal lows share; a third seat folds its bring-in."""
    hand = play(new([21, 21, DEEP], [*hands, "Jc Jd Ks Jh Td Th Tc"], limits=(1, 5, 20, 40), **changes), "c r c f")
    hand.settle()
    assert pots(hand)[0][0] == 48
    return hand.net[:2]


def test_P7_duplicate_ranks_count_the_best_suit() -> None:
    low = "2c 3c 4c 5c"
    hands = ["7s 2d 3d 4d 5d Qc Qd", f"7c 7d {low} Kh", "8c 9c Tc Jc Qs Kc Kd"]
    hand = new([21, 21, 2], hands, limits=(21, 21, 22, 44))
    hand.settle()
    assert pots(hand)[0][1] == (0, 1, 2)
    # 7s against 7c 7d: the spade; against the reverse order likewise
    for first, second, winner in (
        ("7s 2d 3d 4d 5d Qc Qd", f"7c 7d {low} Kh", 0),
        ("7d 2d 3d 4d 5d Qc Qd", f"7c 7s {low} Kh", 1),
        ("7h 2s 3d 4d 5d Qc Qd", f"7c 7d {low} Kh", 0),
    ):
        odd = play(
            new([21, 21, DEEP], [first, second, "Jc Jd Ks Jh Td Th Tc"], limits=(1, 4, 20, 40), max_bets=4), "c r c f"
        )
        odd.settle()
        assert sum(pot.chips for pot in odd.pots) == 47
        assert [net - min(odd.net[:2]) for net in odd.net[:2]] == [1 - winner, winner]
