"""The same hand on the fast engine and on the reference, and copies of a fast hand for walking every line of play."""

from collections.abc import Mapping, Sequence
from typing import Any

from razzsim.engine.games import GAMES
from razzsim.engine.hand import Hand
from razzsim.engine.rules import rules_record
from razzsim.engine.state import table_record
from tests.reference.hand import Hand as ReferenceHand

Limits = tuple[int, int, int, int]


def both(
    rules: Mapping[str, Any],
    limits: Limits,
    stacks: Sequence[int],
    slots: Sequence[int],
    *,
    game: str = "razz",
    button: int = -1,
    event_heads_up: bool = False,
) -> tuple[Hand, ReferenceHand]:
    """One hand at its first decision (or run out) in both engines. rules: a complete set of parameters."""
    table = table_record(*limits, n_seats=len(stacks), button=button)
    fast = Hand(rules_record(rules), table, stacks, slots, GAMES[game])
    fast.state["event_heads_up"] = event_heads_up
    deal_due(fast)
    words = {**rules, "game": game, "event_heads_up": event_heads_up}
    return fast, ReferenceHand(words, *limits, stacks, slots, button=button)


def deal_due(hand: Hand) -> None:
    """Deal until a seat must act or the hand is over, as the reference does by itself."""
    while hand.street_is_over:
        hand.deal()


def act(fast: Hand, slow: ReferenceHand, action: int) -> None:
    """The same action in both."""
    fast.apply(action)
    deal_due(fast)
    slow.apply(action)


def clone(hand: Hand) -> Hand:
    """A copy that goes its own way; rules and game are shared, they never change."""
    twin = object.__new__(Hand)
    twin.__dict__.update(hand.__dict__)
    twin._tables, twin._hands, twin._mes = hand._tables.copy(), hand._hands.copy(), hand._mes.copy()
    return twin


def records_of(hand: Hand) -> bytes:
    """Every byte a hand consists of."""
    return b"".join(records.tobytes() for records in (hand._tables, hand._hands, hand._mes)) + bytes([hand._code & 255])
