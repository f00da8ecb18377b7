"""One hand on our engine and on PokerKit 0.7.7, decision by decision, until a departure that has a name.

Our parameters are set as near to PokerKit's as they go (PARAMETERS); where it still departs, the comparison of that
hand ends. Free folds are left out: PokerKit does not know them (B10).
"""

import random
from collections import Counter
from collections.abc import Iterator

from pokerkit import Automation, Card, FixedLimitRazz, State

from razzsim.engine.cards import card_text
from razzsim.engine.hand import Hand, deck
from razzsim.engine.rules import rules_of, rules_record
from razzsim.engine.state import table_record
from tests.engine.stacked import equal_hands
from tests.invariants import check_hand, live_seats

FOLD, CALL, RAISE = 0, 1, 2
PARAMETERS = {
    "tied_low_opener": "seat_order",  # it: the lowest index
    "odd_chip": "seat_order",  # it: the lowest index
    "short_bring_in": "posted",
    "short_all_in": "full_on_top",  # it: the next raise is always to W + bet
    "short_all_in_counts_to_cap": "all",
}
REOPENING = "a short all-in on this street: it reopens raising by other sums than P3(c)"
NOBODY_HIGHER = "it forbids a raise when no opponent can match more than the wager, though one has chips (P6)"
ODD_CHIPS = "two or more odd chips: it gives all of them to one seat"

AUTOMATIONS = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)
UNKNOWN = next(iter(Card.parse("??")))
CARDS = [next(iter(Card.parse(card_text(code)))) for code in range(52)]
LIMITS = ((1, 5, 20, 40), (0, 2, 4, 8), (4, 10, 30, 60), (25, 50, 200, 400))


class Pair:
    """One hand on both engines."""

    def __init__(self, slots: list[int], stacks: list[int], limits: tuple[int, int, int, int]) -> None:
        self.stacks, self.slots = stacks, slots
        n = len(stacks)
        rules = rules_record(rules_of("pokerstars", PARAMETERS))
        self.ours = Hand(rules, table_record(*limits, n_seats=n), stacks, self.slots)
        ante, bring_in, small, big = limits
        self.theirs: State = FixedLimitRazz.create_state(AUTOMATIONS, True, ante, bring_in, small, big, stacks, n)
        self.short_all_in = False
        self.deal()

    def deal(self) -> None:
        """Deal both until a decision or the end; theirs gets the same cards, burns unknown."""
        while self.ours.street_is_over:
            self.ours.deal()
            self.short_all_in = False
        state, n = self.theirs, len(self.stacks)
        while state.status and state.actor_index is None:
            if state.card_burning_status:
                state.burn_card(UNKNOWN)
            else:
                seat = state.hole_dealee_index
                assert seat is not None
                have, due = len(state.hole_cards[seat]), len(state.hole_dealing_statuses[seat])
                cards = [CARDS[self.slots[card_no * n + seat]] for card_no in range(have, have + due)]
                state.deal_hole(cards, seat)

    def compare_decision(self) -> str | None:
        """Same actor, same amount to call, same raise; or the name of the departure that begins here."""
        ours, theirs = self.ours, self.theirs
        seat = ours.actor
        assert seat == theirs.actor_index
        if seat is None:
            return None
        me, table = ours.me(seat), ours.table
        owed = theirs.effective_bring_in_amount if theirs.bring_in_status else theirs.checking_or_calling_amount
        assert me["to_call_chips"] == owed
        assert theirs.stacks == table["stack_chips"][: len(self.stacks)].tolist()
        their_raise = theirs.min_completion_betting_or_raising_to_amount or 0
        if me["raise_to_chips"] == their_raise or self.posts_all(their_raise):
            return None
        reach = table["street_chips"] + table["stack_chips"]
        if RAISE in ours.legal and not their_raise:
            others = [s for s in live_seats(ours) if s != seat]
            if max(reach[s] for s in others) <= table["street_bet_chips"]:
                return NOBODY_HIGHER
        assert self.short_all_in, (me["raise_to_chips"], their_raise)
        assert 0 in (me["raise_to_chips"], their_raise), "only whether a raise is allowed may differ, not its amount"
        return REOPENING

    def posts_all(self, their_raise: int) -> bool:
        """It offers a seat that posts all it has as the bring-in to "complete" to the same (P2); nobody here does."""
        table, seat = self.ours.table, self.ours.actor
        return bool(
            self.theirs.bring_in_status and their_raise == table["stack_chips"][seat] <= table["bring_in_chips"]
        )

    def apply(self, action: int) -> None:
        if action == RAISE:
            me = self.ours.me(self.ours.actor or 0)
            self.short_all_in |= int(me["raise_to_chips"]) != int(self.ours.state["next_level_chips"])
            self.theirs.complete_bet_or_raise_to()
        elif action == FOLD:
            self.theirs.fold()
        elif self.theirs.bring_in_status:
            self.theirs.post_bring_in()
        else:
            self.theirs.check_or_call()
        self.ours.apply(action)
        self.deal()

    def compare_outcome(self) -> str | None:
        """Same final stacks, unless several odd chips went to one seat."""
        assert self.ours.is_over
        assert not self.theirs.status
        self.ours.settle()
        check_hand(self.ours, self.stacks)
        if any(pot.chips % len(pot.winners) > 1 for pot in self.ours.pots):
            return ODD_CHIPS
        assert self.theirs.payoffs == self.ours.net
        return None


def choose(draw: random.Random, hand: Hand, weights: tuple[float, float, float]) -> int:
    """A random legal action; never a free fold."""
    assert hand.actor is not None
    free = hand.me(hand.actor)["to_call_chips"] == 0
    legal = [action for action in hand.legal if not (free and action == FOLD)]
    return draw.choices(legal, [weights[action] for action in legal])[0]


def play(pair: Pair, draw: random.Random, seen: Counter[str]) -> str | None:
    """Play and compare; the name of the departure that ended it, or None when all of it was compared."""
    weights = draw.choice(((0.25, 0.5, 0.25), (0.1, 0.3, 0.6), (0.5, 0.3, 0.2)))
    while pair.ours.actor is not None or pair.theirs.actor_index is not None:
        if departure := pair.compare_decision():
            return departure
        action = choose(draw, pair.ours, weights)
        pair.apply(action)
        seen["decisions"] += 1
    return pair.compare_outcome()


def hands(kind: str, n_hands: int) -> Iterator[tuple[Pair, random.Random]]:
    """Random hands; seats and limits in turn. deep: no all-ins; short: many; ties: short, and all lows are equal."""
    for number in range(n_hands):
        draw = random.Random(f"{kind} {number}")
        n = 2 + number % (3 if kind == "ties" else 6)
        limits = LIMITS[number // 6 % len(LIMITS)]
        low, high = (50 * limits[3], 100 * limits[3]) if kind == "deep" else (1, 5 * limits[3])
        slots = equal_hands(draw, n) if kind == "ties" else deck(4_711, number)
        yield Pair(slots, [draw.randint(low, high) for _ in range(n)], limits), draw


def compare(kind: str, n_hands: int) -> tuple[Counter[str], Counter[str]]:
    """Play random hands on both: the hands left out by departure, and what the compared ones held."""
    seen: Counter[str] = Counter()
    departures: Counter[str] = Counter()
    for pair, draw in hands(kind, n_hands):
        if departure := play(pair, draw, seen):
            departures[departure] += 1
            continue
        seen["hands"] += 1
        seen["showdowns"] += len(pair.ours.show_order) > 1
        seen["side pots"] += len(pair.ours.pots) > 1
        seen["splits"] += any(len(pot.winners) > 1 for pot in pair.ours.pots)
    return departures, seen
