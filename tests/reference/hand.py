"""One hand of Razz or deuce-to-seven Razz, from the antes to the payout, written to be read.

Every rule of rules/razz.md that concerns one hand is here under its id. Lists are indexed by seat.
"Live", "with chips", "owes" and "acted" are the words of W1.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.reference import lows, payout
from tests.reference.cards import GAMES, RAZZ, door_height, exhaustion_before_seventh
from tests.reference.payout import Pot
from tests.reference.presets import PRESETS, check_rules

__all__ = ["CALL", "FOLD", "PRESETS", "RAISE", "Hand", "Pot"]

FOLD, CALL, RAISE = 0, 1, 2


class Hand:
    """A hand in progress. `actor` is None once it is over."""

    def __init__(
        self,
        rules: Mapping[str, object],
        ante: int,
        bring_in: int,
        small_bet: int,
        big_bet: int,
        stacks: Sequence[int],
        slots: Sequence[int],
        button: int = -1,
    ) -> None:
        """Deal third street (B0), post antes (P1), go on to the first decision."""
        self.rules: dict[str, Any] = dict(rules)
        self.game: str = self.rules.get("game", RAZZ)
        self.ante, self.bring_in = ante, bring_in
        self.small_bet, self.big_bet = small_bet, big_bet
        self.slots, self.button = list(slots), button
        self.n = n = len(stacks)
        self._check_arguments(stacks)
        self.initial_stacks, self.stacks = list(stacks), list(stacks)
        self.hand_chips, self.street_chips = [0] * n, [0] * n
        self.folded = [False] * n
        # Cards: two down and the door (B0); slot = card number * seats + seat.
        self.down = [[self.slots[seat], self.slots[n + seat]] for seat in range(n)]
        self.up = [[self.slots[2 * n + seat]] for seat in range(n)]
        self.community: int | None = None
        self.used_slots = set(range(3 * n))
        self.exhaustion = "normal"
        self.scrambles: list[int] = []
        # Outcome.
        self.net: list[int] = []
        self.pots: list[Pot] = []
        self.uncalled: tuple[int, int] | None = None
        self.showdown_order: list[int] = []
        self.shown: set[int] = set()
        self.rake_total = 0
        # Betting.
        self.actor: int | None = None
        self.opener = self.bring_in_seat = -1
        self.seventh_aggressor = -1
        self.awaiting_bring_in = False  # the actor is asked to bring in
        self.displaced = False  # P1: the owner was all-in from the ante
        self.street = 3
        for seat in range(n):
            self._put(seat, min(ante, self.stacks[seat]))
        self._start_round()

    def _check_arguments(self, stacks: Sequence[int]) -> None:
        """B1, and values of parameters."""
        if not 2 <= self.n <= 8 or min(stacks) <= 0:
            raise ValueError("2 to 8 seats, every stack above 0")
        if self.ante < 0 or not 0 < self.bring_in <= self.small_bet < self.big_bet:
            raise ValueError("0 <= ante; 0 < bring_in <= small_bet < big_bet")
        if sorted(self.slots) != list(range(52)):
            raise ValueError("slots must hold the 52 cards once each")
        if not -1 <= self.button < self.n or self.game not in GAMES:
            raise ValueError("button or game")
        check_rules(self.rules)

    def clone(self) -> "Hand":
        """An independent copy, for tests that walk every line of play."""
        twin = Hand.__new__(Hand)
        for name, value in self.__dict__.items():
            if isinstance(value, list):
                value = [list(item) if isinstance(item, list) else item for item in value]
            elif isinstance(value, set | dict):
                value = value.copy()
            twin.__dict__[name] = value
        return twin

    # ---- words of W1 -------------------------------------------------------------------------

    def _clockwise_after(self, seat: int) -> list[int]:
        """All seats clockwise, from the left of `seat` to itself (button -1: 0, 1, 2 ..)."""
        return [(seat + 1 + i) % self.n for i in range(self.n)]

    def _live(self) -> list[int]:
        """Seats not folded, clockwise from the dealer (B12)."""
        return [seat for seat in self._clockwise_after(self.button) if not self.folded[seat]]

    def _with_chips(self) -> list[int]:
        return [seat for seat in self._live() if self.stacks[seat] > 0]

    def _reach(self, seat: int) -> int:
        """Most chips the seat has put in, or can still put in, on this street."""
        return self.street_chips[seat] + self.stacks[seat]

    def _owed(self, seat: int) -> int:
        """Chips missing to the wager; never more than some live opponent can match (P2)."""
        matched = max(self._reach(other) for other in self._live() if other != seat)
        return max(0, min(self.wager, matched) - self.street_chips[seat])

    def _betting_stopped(self) -> bool:
        """P6: nobody with chips, or exactly one who owes nothing."""
        seats = self._with_chips()
        return not seats or (len(seats) == 1 and self._owed(seats[0]) == 0)

    def _bet(self) -> int:
        """B8: small bet on third and fourth, big bet from fifth."""
        return self.small_bet if self.street <= 4 else self.big_bet

    def _put(self, seat: int, chips: int) -> None:
        self.stacks[seat] -= chips
        self.hand_chips[seat] += chips
        self.street_chips[seat] += chips

    # ---- streets -----------------------------------------------------------------------------

    def _start_round(self) -> None:
        """Fresh betting round; finds the opener or runs on when betting is over (P6)."""
        self.street_chips = [0] * self.n  # antes are no part of a street's wager
        self.wager = 0  # W of P3
        self.level = 0  # L of P3
        self.only_bring_in = self.street == 3  # no bet yet: a raise completes to one small bet
        self.n_bets = 0
        self.acted = [False] * self.n
        self.wager_seen = [0] * self.n  # W after the seat's last action
        self.full_since = [False] * self.n  # a full bet or raise since the seat's last action
        self.cap = self._street_cap()
        self.opener = -1
        if self._betting_stopped():
            self._next_street()
        elif self.street == 3:
            self._find_bring_in()
        else:
            self.actor = self.opener = self._opening_seat()

    def _street_cap(self) -> int | None:
        """B11; None = no cap on this street."""
        kind = self.rules["heads_up_cap"]
        if kind == "uncapped_if_round_starts_heads_up" and len(self._with_chips()) == 2:
            return None
        if kind == "uncapped_when_event_heads_up" and self.rules.get("event_heads_up", False):
            return None
        cap: int | None = self.rules["max_bets"]
        return cap

    def _find_bring_in(self) -> None:
        """B2, and P1: past an owner all-in from the ante to the next seat with chips."""
        owner = max(self._live(), key=lambda seat: door_height(self.up[seat][0], self.game))
        self.displaced = self.stacks[owner] == 0
        if self.displaced:
            owner = self._next_with_chips(owner)
        self._ask_for_bring_in(owner)

    def _ask_for_bring_in(self, seat: int) -> None:
        self.actor = self.opener = self.bring_in_seat = seat
        self.awaiting_bring_in = True
        self.level = self.bring_in  # L: the bring-in once owed

    def _next_with_chips(self, seat: int) -> int:
        return next(s for s in self._clockwise_after(seat) if s in self._with_chips())

    def _lowest_exposed(self) -> int:
        """B5, B6: the lowest exposed hand among live seats, all-in seats included."""
        key = {seat: lows.exposed_key(self.up[seat], self.game) for seat in self._live()}
        tied = [seat for seat in self._live() if key[seat] == min(key.values())]
        if self.rules["tied_low_opener"] == "seat_order":
            return tied[0]
        return max(tied, key=lambda seat: lows.top_suit(self.up[seat], self.game))

    def _opening_seat(self) -> int:
        """B7, B9: the lowest exposed hand, or the next seat with chips if that one is all-in."""
        lowest = self._lowest_exposed()
        if self.stacks[lowest] > 0 or not self._with_chips():
            return lowest
        return self._next_with_chips(lowest)

    def _next_street(self) -> None:
        """Deal the next street and start its round, or go to the showdown."""
        self.actor = None
        if self.street == 7:
            self._finish()
            return
        self.street += 1
        if self.street == 7:
            self._deal_seventh()
        else:
            self._deal_up_cards()
        self._start_round()

    def _deal_up_cards(self) -> None:
        """B0: one card up to each live seat, from its own slot (X0)."""
        stub = 52 - len(self.used_slots) - (self.street - 4)  # X2: one burn a street before this
        if self.rules["deck_exhaustion"] == "wsop_stub" and stub < len(self._live()) + 2:
            self.scrambles.append(self.street)  # never with a 52-card deck and eight seats
        for seat in self._live():
            slot = (self.street - 1) * self.n + seat
            self.used_slots.add(slot)
            self.up[seat].append(self.slots[slot])

    def _deal_seventh(self) -> None:
        """B9 (face down), X1, X2. With eight seats from the pool, else each from its own slot."""
        undealt = 52 - len(self.used_slots)
        rule, live = self.rules["deck_exhaustion"], self._live()
        self.exhaustion = exhaustion_before_seventh(rule, undealt, len(live))
        if self.n == 8:
            unused = [slot for slot in range(24, 48) if slot not in self.used_slots]
            pool = [48, 49, 50, 51] + unused
        else:
            pool = [6 * self.n + seat for seat in range(self.n) if not self.folded[seat]]
        if self.exhaustion.startswith("community"):
            self.used_slots.add(pool[0])
            self.community = self.slots[pool[0]]
            return
        for seat, slot in zip(sorted(live), pool, strict=False):
            self.used_slots.add(slot)
            self.down[seat].append(self.slots[slot])

    # ---- decisions ---------------------------------------------------------------------------

    def legal(self) -> list[int]:
        """Legal actions of the actor, sorted."""
        if self.actor is None:
            return []
        actions = [CALL]
        # B3: the bring-in owner may not fold; P1 `may_fold`: a seat it passed to may. Else B10.
        may_fold = self.displaced and self.rules["displaced_bring_in"] == "may_fold"
        if not self.awaiting_bring_in or may_fold:
            actions.append(FOLD)
        if self._may_raise(self.actor):
            actions.append(RAISE)
        return sorted(actions)

    def to_call(self) -> int:
        """Chips CALL puts in now: 0 is a check; at the bring-in what is posted (P2)."""
        if self.actor is None:
            return 0
        owed = self.bring_in if self.awaiting_bring_in else self._owed(self.actor)
        return min(owed, self.stacks[self.actor])

    def raise_to(self) -> int:
        """Street total a RAISE reaches, 0 if none is legal; all-in if the stack is short (P3)."""
        if self.actor is None or not self._may_raise(self.actor):
            return 0
        return min(self._full_raise(), self._reach(self.actor))

    def _full_raise(self) -> int:
        """Next full step: one small bet while only the bring-in stands, else L + bet (B4, P3)."""
        return self.small_bet if self.only_bring_in else self.level + self._bet()

    def _may_raise(self, seat: int) -> bool:
        """P3(c), P3(d): the right to raise, short or full."""
        if self.cap is not None and self.n_bets >= self.cap:
            return False
        if not [other for other in self._with_chips() if other != seat]:
            return False
        if self.awaiting_bring_in:  # B3; B1: no completion when the bring-in is a small bet
            return self.bring_in < self.small_bet and self._reach(seat) > self.bring_in
        if self._reach(seat) <= self.wager:
            return False
        grown = self.wager - self.wager_seen[seat]
        return not self.acted[seat] or self.full_since[seat] or 2 * grown >= self._bet()

    def apply(self, action: int) -> None:
        """Play one action of the actor; ValueError if it is not legal."""
        if self.actor is None or action not in self.legal():
            raise ValueError(f"action {action!r} is not in {self.legal()}")
        seat = self.actor
        if action == FOLD:
            self.folded[seat] = True
        elif action == RAISE:
            self._raise(seat)
        elif self.awaiting_bring_in:
            self._post_bring_in(seat)
        else:
            self._put(seat, self.to_call())
        if action != FOLD:
            self.awaiting_bring_in = False
        self.acted[seat] = True
        self.full_since[seat] = False
        self.wager_seen[seat] = self.wager
        self._go_on(seat)

    def _post_bring_in(self, seat: int) -> None:
        """B3, P2; B1: a bring-in of one small bet is the first full bet."""
        posted = self.to_call()
        self._put(seat, posted)
        full = self.rules["short_bring_in"] == "full"
        self.wager = self.level = self.bring_in if full else posted
        if self.wager == self.small_bet:
            self.only_bring_in = False
            self.n_bets = 1

    def _raise(self, seat: int) -> None:
        """Bet, complete or raise, full or short (P3, P4)."""
        target, full = self.raise_to(), self._full_raise()
        if self.street == 7:
            self.seventh_aggressor = seat
        self._put(seat, target - self.street_chips[seat])
        self.wager = target
        if target == full:
            self.level, self.only_bring_in = target, False
            self.n_bets += 1
            self.full_since = [True] * self.n
            return
        half = 2 * (target - self.level) >= self._bet()  # P3(b), else P3(a)
        if half or self.rules["short_all_in"] == "full_on_top":
            self.level, self.only_bring_in = target, False
        counts = self.rules["short_all_in_counts_to_cap"]
        if counts == "all" or (counts == "half" and half):
            self.n_bets += 1

    def _go_on(self, seat: int) -> None:
        """Who is next after `seat`; the end of the round; the end of the hand (B4, P6)."""
        if len(self._live()) == 1:
            self.actor = None
            self._finish()
        elif self._betting_stopped():
            if self.awaiting_bring_in:  # P1: all others folded, nobody is left to ask
                self.awaiting_bring_in = False
                self.bring_in_seat = self.opener = -1
            self._next_street()
        elif self.awaiting_bring_in:
            self._ask_for_bring_in(self._next_with_chips(seat))
        else:
            waiting = [s for s in self._clockwise_after(seat) if self._must_act(s)]
            self.actor = waiting[0] if waiting else None
            if not waiting:
                self._next_street()

    def _must_act(self, seat: int) -> bool:
        if self.folded[seat] or self.stacks[seat] == 0:
            return False
        return not self.acted[seat] or self._owed(seat) > 0

    # ---- showdown and payout -----------------------------------------------------------------

    def cards_of(self, seat: int) -> list[int]:
        """All cards the seat plays at the showdown, the community card included (X1)."""
        shared = [] if self.community is None else [self.community]
        return self.down[seat] + self.up[seat] + shared

    def _finish(self) -> None:
        """P5 uncalled chips, pots; P8 rake; P7 split; D3: nobody shows if all others folded."""
        live = self._live()
        showdown = len(live) > 1
        any_all_in = any(self.stacks[seat] == 0 for seat in live)
        first = self._first_to_show()
        keys: dict[int, lows.LowKey] = dict.fromkeys(live, (0, ()))
        if showdown:
            keys = {seat: lows.best_low(self.cards_of(seat), self.game) for seat in live}
        put_in = list(self.hand_chips)
        self.uncalled = payout.uncalled_bet(put_in)
        if self.uncalled is not None:
            seat, chips = self.uncalled
            put_in[seat] -= chips
            self.stacks[seat] += chips
        for chips, eligible in payout.layers(put_in, live):
            self._pay(chips, eligible, keys)
        if showdown:
            clockwise = [seat for seat in self._clockwise_after(first) if seat in live]
            self.showdown_order = payout.show_order(first, clockwise, self.pots)
            shows = payout.who_shows(self.showdown_order, keys, self.pots)
            self.shown = set(live) if any_all_in else shows  # D3: an all-in opens all hands
        self.net = [self.stacks[s] - self.initial_stacks[s] for s in range(self.n)]

    def _pay(self, chips: int, eligible: tuple[int, ...], keys: dict[int, lows.LowKey]) -> None:
        """Rake one pot (P8) and pay its winners (L3, P7)."""
        hands = {seat: self.cards_of(seat) for seat in eligible}
        rake = payout.rake_of(chips, self.rake_total, self.rules.get("rake"), self.street)
        best = min(keys[seat] for seat in eligible)
        winners = [seat for seat in self._live() if seat in eligible and keys[seat] == best]
        order = payout.odd_chip_order(winners, hands, self.rules["odd_chip"], self.game)
        shares = payout.split(chips - rake, order)
        for seat, share in shares.items():
            self.stacks[seat] += share
        self.pots.append(Pot(chips - rake, rake, eligible, tuple(sorted(winners)), shares))
        self.rake_total += rake

    def _first_to_show(self) -> int:
        """D1: the last to bet or raise on seventh; D2 when nobody did."""
        if self.seventh_aggressor >= 0:
            return self.seventh_aggressor
        kind = self.rules["checked_showdown"]
        if kind == "first_seat":
            return self._live()[0]
        return self._lowest_exposed() if kind == "low_hand" else self._opening_seat()
