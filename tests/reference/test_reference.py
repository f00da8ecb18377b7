"""Betting of the reference engine; tests carry the ids of rules/razz.md."""

from typing import Any

import pytest

from tests.reference.cards import DEUCE, RAZZ, stacked_deck
from tests.reference.hand import CALL
from tests.reference.helpers import DEEP, STARS, C, F, R, fourth, new, passive, play

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
    assert (hand.actor, hand.legal(), hand.to_call(), hand.raise_to()) == (0, [F, C, R], 5, 20)
    assert hand.n_bets == 0
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
    for game, high, pair in ((RAZZ, 0, "Ks Kh"), (DEUCE, 1, "3s 3h")):  # top: deuce, then ace
        slots = stacked_deck(["-- -- 2h Ad", "-- -- 2d Ah", f"-- -- {pair}"])
        hand = passive(new([500] * 3, slots, tied_low_opener=rule, game=game), 4)
        assert hand.opener == (high if rule == "high_suit" else 0)


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
    assert sizes == [20, 40, 40, 40] and len(hand.down[0]) == 3 and len(hand.up[0]) == 4
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
    later = play(new([DEEP] * 3, preset=starts), C, F, R, R, R, R)  # heads-up only by the fold
    assert later.legal() == [F, C]
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
    limits: dict[str, Any] = {"ante": 0, "bring_in": 50, "small_bet": 200, "big_bet": 400}
    assert play(new([125, DEEP, DEEP], **limits), C, R).raise_to() == 200
    assert play(new([150, DEEP, DEEP], **limits), C, R).raise_to() == 350
    hand = play(new([125, DEEP, DEEP], **limits), C, R, C)  # 50 -> 125 is under half of 200
    assert hand.actor == 2 and hand.legal() == [F, C]
    hand = play(new([150, DEEP, DEEP], **limits), C, R, C)
    assert hand.actor == 2 and hand.raise_to() == 350
    hand = play(new([DEEP, DEEP, 585, DEEP], **limits), C, R, R, R)
    assert (hand.street_chips, hand.raise_to()) == ([200, 400, 585, 50], 785)


def test_P3c_a_small_completion_reopens() -> None:
    hand = play(new([500] * 3, bring_in=15), C, C, R)  # 15 to 20: less than half a bet, yet full
    assert (hand.actor, hand.raise_to()) == (2, 40)
    assert play(hand, C).raise_to() == 40 and hand.actor == 0
    short = play(new([500, 20, 500], bring_in=15), C, C, R)  # all-in 19
    assert short.actor == 2 and short.legal() == [F, C]


def test_P3_full_on_top() -> None:
    on_top: dict[str, Any] = {"short_all_in": "full_on_top"}
    assert play(fourth([9, DEEP, DEEP], **on_top), R).raise_to() == 29
    hand = play(fourth([DEEP, 26, DEEP], **on_top), R, R)
    assert hand.raise_to() == 46
    assert play(hand, C).legal() == [F, C]  # (c) unchanged: 6 is under half a bet
    limits: dict[str, Any] = {"ante": 0, "bring_in": 50, "small_bet": 200, "big_bet": 400}
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
