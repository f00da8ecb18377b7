"""Random hands over every parameter value: the invariants hold at every moment and every hand ends.

Authority: rules W1, P5, P6, B11, X4 as invariants (tests/invariants.py). The hands come from a counter, not from a
chosen seed: parameter values cycle with different periods, so that all of them meet many stacks and limits.
"""

import random
from collections import Counter

import pytest

from razzsim.engine.hand import Hand, deck
from razzsim.engine.rules import CHOICES, rules_of, rules_record
from razzsim.engine.state import table_record
from tests.engine.stacked import equal_hands
from tests.invariants import check_hand

LIMITS = ((0, 1, 1, 2), (0, 5, 20, 40), (1, 2, 4, 8), (3, 5, 20, 40), (5, 20, 20, 40), (25, 7, 30, 100))
RAKES = (None, {"take": 1, "per": 20, "cap": 3, "from_street": 3}, {"take": 5, "per": 5, "cap": 999, "from_street": 5})
CAPS = (4, 5, 1, None)
FOLD = 0


def parameters(number: int) -> dict[str, object]:
    """Parameters of the number-th hand: each word is drawn on its own, so pairs of values meet as well."""
    draw = random.Random(f"parameters {number}")
    words = {name: draw.choice(allowed) for name, allowed in CHOICES.items()}
    return {**words, "max_bets": draw.choice(CAPS), "rake": draw.choice(RAKES)}


def new_hand(number: int) -> tuple[Hand, list[int]]:
    draw = random.Random(f"hand {number}")
    n, limits = 2 + number % 7, LIMITS[number % len(LIMITS)]
    depth = draw.choice((limits[3], 4 * limits[3], 100 * limits[3]))
    stacks = [draw.randint(1, depth) for _ in range(n)]
    table = table_record(*limits, n_seats=n, button=draw.randint(-1, n - 1))
    rules = rules_record(rules_of("pokerstars", parameters(number)))
    slots = equal_hands(draw, n) if n <= 4 and number % 3 == 0 else deck(20_260_101, number)
    hand = Hand(rules, table, stacks, slots)
    hand.state["event_heads_up"] = number % 2
    return hand, stacks


def play(number: int, seen: Counter[str]) -> Hand:
    """Play one hand, checking it at every moment."""
    hand, stacks = new_hand(number)
    draw = random.Random(f"actions {number}")
    fold_weight = draw.choice((0.02, 0.2))
    check_hand(hand, stacks)
    while not hand.is_over:
        if hand.street_is_over:
            hand.deal()
        else:
            weights = [fold_weight if action == FOLD else 1 for action in hand.legal]
            hand.apply(draw.choices(hand.legal, weights)[0])
            seen["actions"] += 1
        check_hand(hand, stacks)
    hand.settle()
    check_hand(hand, stacks)
    return hand


@pytest.mark.parametrize("hands", [500, pytest.param(2_000, marks=pytest.mark.slow)])
def test_invariants_hold_in_random_hands_under_every_parameter_value(hands: int) -> None:
    seen: Counter[str] = Counter()
    for number in range(hands):
        hand = play(number, seen)
        seen.update(f"{name}: {word}" for name, word in parameters(number).items())
        seen["showdowns"] += len(hand.show_order) > 1
        seen["side pots"] += len(hand.pots) > 1
        seen["splits"] += any(len(pot.winners) > 1 for pot in hand.pots)
        seen["community cards"] += int(hand.table["community"]) < 52
    words = [f"{name}: {word}" for name, allowed in CHOICES.items() for word in allowed]
    assert all(7 * seen[word] > hands for word in (*words, *(f"max_bets: {cap}" for cap in CAPS)))
    assert seen["actions"] > 10 * hands
    assert seen["showdowns"] > hands // 2
    assert seen["side pots"] > hands // 4
    assert seen["splits"] > hands // 10
    assert seen["community cards"] > hands // 20
