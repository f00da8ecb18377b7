"""What must hold for a hand at any moment, whoever plays it: one function for all engine tests.

It proves rules W1, P5, P6, B11 and X4 as invariants and reads the engine's records, never its code.
"""

from collections.abc import Sequence
from itertools import pairwise

from razzsim.engine.cards import NO_CARD
from razzsim.engine.hand import Hand, seats_of
from razzsim.engine.rules import NO_CAP

FOLD, CALL, RAISE = 0, 1, 2


def live_seats(hand: Hand) -> list[int]:
    """Seats dealt in and not folded."""
    return list(seats_of(int(hand.table["live_mask"])))


def own_cards(hand: Hand, seat: int) -> list[int]:
    """The known cards of a seat, without the community card."""
    me, shared = hand.me(seat), int(hand.table["community"])
    return [c for c in me["cards"][: me["n_cards"]].tolist() if c != NO_CARD and c != shared]


def check_hand(hand: Hand, start_stacks: Sequence[int]) -> None:
    """Assert every invariant; start_stacks: chips by seat before the antes."""
    _check_cards(hand)
    _check_chips(hand, start_stacks)
    if hand.actor is not None:
        _check_decision(hand)
    elif is_settled(hand):
        _check_payout(hand, start_stacks)


def is_settled(hand: Hand) -> bool:
    """Whether `settle` has run. Without antes all may fold to a bring-in: then there is no pot at all."""
    return hand.is_over and bool(hand.state["n_pots"] or hand.table["pot_chips"] == 0)


def _check_cards(hand: Hand) -> None:
    """X4: no card twice; up cards are among the cards of their seat; live seats hold the street's number."""
    table = hand.table
    n, street = int(table["n_seats"]), int(table["street"])
    known = [card for seat in range(n) for card in own_cards(hand, seat)]
    known += [int(table["community"])] if table["community"] != NO_CARD else []
    assert len(set(known)) == len(known)
    assert all(0 <= card < 52 for card in known)
    for seat in range(n):
        n_up, n_cards = int(table["n_up"][seat]), int(hand.me(seat)["n_cards"])
        assert table["up"][seat, :n_up].tolist() == hand.me(seat)["cards"][2 : 2 + n_up].tolist()
        if seat in live_seats(hand):
            assert n_cards == street
            assert n_up == max(0, min(street, 6) - 2)
        else:
            assert n_cards <= street


def _check_chips(hand: Hand, start_stacks: Sequence[int]) -> None:
    """Chips conserved, none negative, all-in means no chips, the hand's chips are the pot."""
    table = hand.table
    n = int(table["n_seats"])
    stacks, put = table["stack_chips"][:n].tolist(), table["hand_chips"][:n].tolist()
    assert min(stacks) >= 0
    assert min(put) >= 0
    assert live_seats(hand)
    assert sum(put) == table["pot_chips"]
    if not is_settled(hand):
        assert [s + p for s, p in zip(stacks, put, strict=True)] == list(start_stacks)
        assert [s for s in range(n) if stacks[s] == 0] == list(seats_of(int(table["all_in_mask"])))
    assert all(table["street_chips"][s] <= put[s] for s in range(n))
    assert table["n_bets"] <= table["max_bets"] or table["max_bets"] == NO_CAP


def _check_decision(hand: Hand) -> None:
    """Who is asked can act, what is offered can be paid, and a raise has somebody to answer it (P3d, P6)."""
    table, seat = hand.table, hand.actor
    assert seat is not None
    me, others = hand.me(seat), [s for s in live_seats(hand) if s != seat]
    stack, put = int(table["stack_chips"][seat]), int(table["street_chips"][seat])
    to_call, raise_to, wager = int(me["to_call_chips"]), int(me["raise_to_chips"]), int(table["street_bet_chips"])
    assert me["seat"] == seat
    assert seat in live_seats(hand)
    assert stack > 0
    assert others
    assert CALL in hand.legal
    assert me["legal_mask"] == sum(1 << action for action in hand.legal)
    assert 0 <= to_call <= stack
    assert to_call <= max(0, wager - put)
    assert (RAISE in hand.legal) == (raise_to > 0)
    with_chips = [s for s in others if table["stack_chips"][s] > 0]
    if raise_to:
        assert wager < raise_to <= put + stack
        assert with_chips
        assert table["n_bets"] < table["max_bets"] or table["max_bets"] == NO_CAP
    if not with_chips:
        assert to_call > 0
        assert hand.legal == (FOLD, CALL)
    assert (FOLD in hand.legal) or (hand.state["bringing_in"] and table["bring_in_seat"] == seat)


def _check_payout(hand: Hand, start_stacks: Sequence[int]) -> None:
    """After settle: nets and rake sum to zero; pots hold all contributions; winners can win what they won."""
    table, state = hand.table, hand.state
    n = int(table["n_seats"])
    pots, live = hand.pots, live_seats(hand)
    assert sum(hand.net) + int(state["rake_chips"]) == 0
    stacks = table["stack_chips"][:n].tolist()
    assert stacks == [a + b for a, b in zip(start_stacks, hand.net, strict=True)]
    assert sum(pot.chips + pot.rake_chips for pot in pots) == sum(table["hand_chips"][:n]) == table["pot_chips"]
    assert sum(pot.rake_chips for pot in pots) == state["rake_chips"] >= 0
    assert all(pot.winners and set(pot.winners) <= set(pot.seats) <= set(live) for pot in pots)
    assert all(set(deeper.seats) < set(pot.seats) for pot, deeper in pairwise(pots))
    assert not pots or set(pots[0].seats) == set(live)
    assert all(hand.net[seat] <= 0 for seat in range(n) if not any(seat in pot.winners for pot in pots))
    assert bool(state["showdown"]) == (len(live) > 1)
    assert sorted(hand.show_order) == (live if len(live) > 1 else [])
    top = max(int(table["hand_chips"][seat]) for seat in live)
    assert top == max(table["hand_chips"][:n])  # what nobody called has come back
