"""Stacked hands for the tests of the reference engine."""

from collections.abc import Sequence
from typing import Any

from tests.reference.cards import stacked_deck
from tests.reference.hand import CALL, FOLD, PRESETS, RAISE, Hand

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
