"""Hands with stacked decks: `new` builds one, `play` walks actions written as `c r f`, dealing streets as they come.

Unless cards are named, seat 0 has the lowest exposed hand on every street, then seat 1, and so on, and the
last seat has the highest door card: it brings in and seat 0 is next.
"""

import random
from collections.abc import Sequence
from typing import Any

from razzsim.engine.cards import parse_card
from razzsim.engine.games import GAMES, Game
from razzsim.engine.hand import Hand
from razzsim.engine.rules import rules_of, rules_record
from razzsim.engine.state import table_record
from tests.invariants import check_hand

DEEP = 100_000
LIMITS = (1, 5, 20, 40)
"""ante, bring-in, small bet, big bet"""
ACTIONS = {"f": 0, "c": 1, "r": 2}
UPS = (
    "5h Ah 2h 3h",
    "6d Ad 2d 3d",
    "7c Ac 2c 3c",
    "8s As 2s 3s",
    "9h 4h 6h 7h",
    "Td 4d 5d 7d",
    "Jc 4c 5c 6c",
    "Qs 4s 5s 6s",
)


def deck(hands: Sequence[str], spare: str = "") -> list[int]:
    """52 codes by slot: each text names a seat's cards in the order dealt, `--` leaves one open.

    spare: slots 48.. at eight seats. Open slots take the cards nobody named, highest first.
    """
    n = len(hands)
    named = {k * n + seat: text for seat, cards in enumerate(hands) for k, text in enumerate(cards.split())}
    named |= {48 + k: text for k, text in enumerate(spare.split())}
    slots = {slot: parse_card(text) for slot, text in named.items() if text != "--"}
    assert len(set(slots.values())) == len(slots), "a card is named twice"
    rest = iter(sorted(set(range(52)) - set(slots.values()), reverse=True))
    return [slots[slot] if slot in slots else next(rest) for slot in range(52)]


def boards(*ups: str) -> list[str]:
    """Cards of seats of which only the up cards matter."""
    return [f"-- -- {up}" for up in ups]


def equal_hands(draw: random.Random, n: int) -> list[int]:
    """A deck that deals each of at most four seats the same seven ranks, so that every showdown is a split."""
    ranks = draw.sample(range(13), 7)
    dealt = [4 * rank + suit for rank in ranks for suit in draw.sample(range(4), n)]
    return dealt + sorted(set(range(52)) - set(dealt))


def new(
    stacks: Sequence[int],
    cards: Sequence[str] | None = None,
    *,
    limits: tuple[int, int, int, int] = LIMITS,
    button: int = -1,
    spare: str = "",
    game: Game = GAMES["razz"],
    **changes: Any,
) -> Hand:
    """A hand at its first decision (or run out); changes: parameters beside the pokerstars preset."""
    rules = rules_record(rules_of("pokerstars", changes))
    table = table_record(*limits, n_seats=len(stacks), button=button)
    hand = Hand(rules, table, stacks, deck(cards or boards(*UPS[: len(stacks)]), spare), game)
    return _deal_due(hand)


def play(hand: Hand, actions: str) -> Hand:
    """Apply the actions; invariants are checked after each."""
    for action in actions.split():
        hand.apply(ACTIONS[action])
        _deal_due(hand)
    return hand


def passive(hand: Hand, until_street: int = 8) -> Hand:
    """Check and call until the street begins or the hand is over."""
    while hand.actor is not None and hand.table["street"] < until_street:
        play(hand, "c")
    return hand


def finish(hand: Hand) -> Hand:
    """Check and call to the end and pay the pots."""
    passive(hand).settle()
    check_hand(hand, start_of(hand))
    return hand


def fourth(stacks: Sequence[int], **changes: Any) -> Hand:
    """Fourth street with these stacks, all seats in for the bring-in; seat 0 opens."""
    limits = changes.get("limits", LIMITS)
    return passive(new([chips + limits[0] + limits[1] for chips in stacks], **changes), 4)


def offer(hand: Hand) -> tuple[int | None, str, int, int]:
    """(actor, legal actions as letters, chips to call, raise to) at this decision."""
    if hand.actor is None:
        return None, "", 0, 0
    me = hand.me(hand.actor)
    legal = "".join(letter for letter, action in ACTIONS.items() if action in hand.legal)
    return hand.actor, legal, int(me["to_call_chips"]), int(me["raise_to_chips"])


def start_of(hand: Hand) -> list[int]:
    """Stacks before the antes."""
    return hand.state["start_chips"][: hand.table["n_seats"]].tolist()


def _deal_due(hand: Hand) -> Hand:
    check_hand(hand, start_of(hand))
    while hand.street_is_over:
        hand.deal()
        check_hand(hand, start_of(hand))
    return hand
