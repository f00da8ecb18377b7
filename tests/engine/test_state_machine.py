"""A machine that plays hands as it likes: legal and illegal actions, streets dealt when due and when not.

Authority: the invariants of tests/invariants.py (W1, P5, P6, B11, X4), checked after every step, and the contract of
razzsim.engine.hand.Hand: an illegal action is refused by IllegalAction that names the legal ones and changes no byte;
what is not due raises HandIsOver or EngineError; `settle` conserves chips.
"""

import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from razzsim.engine.games import GAMES
from razzsim.engine.hand import ACTION_NAMES, EngineError, Hand, HandIsOver, IllegalAction, deck
from razzsim.engine.rules import CHOICES, PRESETS, rules_of, rules_record
from razzsim.engine.state import table_record
from tests.engine.both import records_of
from tests.invariants import check_hand

LIMITS = ((1, 5, 20, 40), (0, 1, 1, 2), (5, 20, 20, 40), (3, 7, 30, 31), (40, 75, 250, 500), (15, 25, 80, 160))
AROUND = (1, 2, 3, 5, 7, 9, 15, 26, 32, 41, 57, 85, 130, 301, 999, 20_000)
RAKES = (None, {"take": 1, "per": 20, "cap": 3, "from_street": 3}, {"take": 3, "per": 7, "cap": 50, "from_street": 5})
seen: Counter[str] = Counter()
FOLD = 0
OTHER_NUMBERS = (-(2**40), -1, 3, 4, 8, 255, 2**40)


@st.composite
def hands(draw: st.DrawFn) -> tuple[Hand, list[int]]:
    """A hand before its first street, and its stacks."""
    n = draw(st.integers(2, 8))
    words = st.fixed_dictionaries({}, optional={name: st.sampled_from(values) for name, values in CHOICES.items()})
    changes: dict[str, Any] = draw(words)
    if draw(st.booleans()):
        changes |= {"max_bets": draw(st.sampled_from((1, 3, 4, 5, None))), "rake": draw(st.sampled_from(RAKES))}
    rules = rules_of(draw(st.sampled_from(sorted(PRESETS))), changes, event=draw(st.booleans()))
    stacks = draw(st.lists(st.sampled_from(AROUND) | st.integers(1, 400), min_size=n, max_size=n))
    button = draw(st.integers(0, n - 1)) if rules["dealer"] == "rotates" else -1
    table = table_record(*draw(st.sampled_from(LIMITS)), n_seats=n, button=button)
    slots = deck(seed=3, deal=draw(st.integers(0, 9_999)))
    hand = Hand(rules_record(rules), table, stacks, slots, GAMES[draw(st.sampled_from(sorted(GAMES)))])
    hand.state["event_heads_up"] = draw(st.booleans())
    return hand, stacks


class Machine(RuleBasedStateMachine):
    """One hand; after the payout it only says no."""

    hand: Hand
    stacks: list[int]

    @initialize(dealt=hands())
    def start(self, dealt: tuple[Hand, list[int]]) -> None:
        self.hand, self.stacks = dealt
        self.settled = False

    def refused(self, step: Any, error: type[Exception], match: str) -> None:
        """The step raises, and not one byte of the hand is different."""
        before = records_of(self.hand)
        with pytest.raises(error, match=match):
            step()
        assert records_of(self.hand) == before

    @precondition(lambda self: self.hand.street_is_over)
    @rule()
    def deal(self) -> None:
        self.hand.deal()

    @precondition(lambda self: not self.hand.street_is_over)
    @rule()
    def deal_out_of_turn(self) -> None:
        why = "the hand is over" if self.hand.is_over else "a seat must act"
        self.refused(self.hand.deal, HandIsOver, why)

    @precondition(lambda self: not self.hand.is_over)
    @rule(picks=st.lists(st.integers(0, 8), min_size=4, max_size=16))
    def play_on(self, picks: list[int]) -> None:
        """Several legal actions, streets dealt as they come. Folds are rarer: hands should last."""
        for pick in picks:
            if self.hand.street_is_over:
                self.hand.deal()
            if self.hand.actor is None:
                continue
            choices = [action for action in self.hand.legal if action != FOLD] * 4 + [FOLD] * (FOLD in self.hand.legal)
            self.hand.apply(choices[pick % len(choices)])
            seen["acted"] += 1
            check_hand(self.hand, self.stacks)

    @precondition(lambda self: self.hand.actor is not None)
    @rule(data=st.data())
    def act_illegally(self, data: st.DataObject) -> None:
        legal = self.hand.legal
        others = [action for action in (0, 1, 2, *OTHER_NUMBERS) if action not in legal]
        action = data.draw(st.sampled_from(others), label="illegal action")
        names = ", ".join(f"{a} ({ACTION_NAMES[a]})" for a in legal)
        message = f"seat {self.hand.actor} on street {self.hand.table['street']}: {action} is not legal; {names}"
        self.refused(lambda: self.hand.apply(action), IllegalAction, "^" + re.escape(message) + "$")
        seen["refused"] += 1

    @precondition(lambda self: self.hand.actor is None)
    @rule(action=st.sampled_from((0, 1, 2, *OTHER_NUMBERS)))
    def act_out_of_turn(self, action: int) -> None:
        self.refused(lambda: self.hand.apply(action), HandIsOver, "nobody is to act")

    @precondition(lambda self: not self.hand.is_over)
    @rule()
    def settle_early(self) -> None:
        self.refused(self.hand.settle, EngineError, "not over yet")

    @precondition(lambda self: self.hand.is_over and not self.settled)
    @rule()
    def settle(self) -> None:
        self.hand.settle()
        self.settled = True
        seen["settled"] += 1
        seen["showdowns"] += len(self.hand.show_order) > 1
        seen["side pots"] += len(self.hand.pots) > 1
        assert sum(self.hand.net) == -int(self.hand.state["rake_chips"])
        assert sum(self.hand.table["stack_chips"]) + self.hand.state["rake_chips"] == sum(self.stacks)

    @invariant()
    def everything_holds(self) -> None:
        if hasattr(self, "hand"):
            check_hand(self.hand, self.stacks)


@pytest.mark.parametrize("examples", [100, pytest.param(500, marks=pytest.mark.slow)])
def test_machine(examples: int) -> None:
    """The counts show that it gets through whole hands and does not only say no."""
    seen.clear()
    how = settings(
        max_examples=examples,
        stateful_step_count=40,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )
    run_state_machine_as_test(Machine, settings=how)
    least = {"acted": 2, "refused": 1, "settled": 0.24, "showdowns": 0.2, "side pots": 0.12}
    assert all(seen[what] >= n * examples for what, n in least.items()), seen
