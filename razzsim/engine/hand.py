"""One hand at a time, from Python: for replay, teaching, tests and debugging. Same core as bulk play."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit

from razzsim.engine import betting, dealing, settling, state, step, streams
from razzsim.engine.cards import N_CARDS, NO_CARD
from razzsim.engine.games import GAMES, Game

ACTION_NAMES = ("fold", "call", "raise")


class EngineError(Exception):
    """The engine refused to go on."""


class IllegalAction(EngineError):
    """The action is not legal here; the message names those that are."""


class HandIsOver(EngineError):
    """There is nothing left to decide or to deal."""


class ChipsLost(EngineError):
    """Chips before and after the hand differ: a fault of the engine, or of code that wrote into its records."""


@dataclass(frozen=True)
class Pot:
    """One pot as it was paid. Chips are after rake; seats are numbers."""

    chips: int
    rake_chips: int
    seats: tuple[int, ...]
    winners: tuple[int, ...]


# Entry points for Python: arrays of one record in, so that Numba's disk cache serves every process.
@njit(cache=True)
def _start_entry(tables, hands, stacks):
    return step.start_hand_nb(tables[0], hands[0], stacks)


@njit(cache=True)
def _next_street_entry(rules, games, tables, hands, decks, mes):
    table, hand = tables[0], hands[0]
    code = step.next_street_nb(rules[0], games[0], table, hand, decks[0])
    for seat in range(table.n_seats):
        has_seventh = table.street == state.SEVENTH and table.live_mask >> seat & 1
        betting.give_cards_nb(hand, mes[seat], seat, table.n_up[seat] + (3 if has_seventh else 2))
    if code == state.OK:
        betting.give_view_nb(rules[0], table, hand, mes[hand.actor])
    return code


@njit(cache=True)
def _apply_entry(rules, tables, hands, mes, action):
    table, hand = tables[0], hands[0]
    code = betting.apply_nb(rules[0], table, hand, mes[hand.actor], action)
    if code == state.OK:
        betting.give_view_nb(rules[0], table, hand, mes[hand.actor])
    return code


@njit(cache=True)
def _settle_entry(rules, games, tables, hands, rank):
    table, hand = tables[0], hands[0]
    if rank and not betting.one_seat_nb(table.live_mask):
        settling.rank_hands_nb(games[0], table, hand)
    code = settling.settle_nb(rules[0], games[0], table, hand)
    return code, settling.show_hands_nb(rules[0], games[0], table, hand)


@njit(cache=True)
def _draw_entry(decks, seed, domain, deal):
    dealing.start_deal_nb(decks[0], seed, domain, deal)
    dealing.draw_nb(decks[0], N_CARDS)


@njit(cache=True)
def _seventh_slot_entry(tables, seat):
    return dealing.seventh_slot_nb(tables[0], seat)


@njit(cache=True)
def _dice_entry(seed, domain, deal, seat, street, decision):
    return streams.dice_nb(streams.dice_key_nb(seed, domain, deal), seat, street, decision)


def dice(seed: int, deal: int, seat: int, street: int, decision: int, domain: int = 0) -> int:
    """The 64 random bits of a decision (its seat's `decision`-th on that street)."""
    return int(_dice_entry(seed, domain, deal, seat, street, decision))


def deck(seed: int, deal: int, domain: int = 0) -> list[int]:
    """The 52 card codes of a deal, by slot."""
    decks = np.zeros(1, state.DECK_DTYPE)
    decks["n_ahead"] = state.BLOCKS_AHEAD
    _draw_entry(decks, seed, domain, deal)
    return [int(code) for code in decks["cards"][0]]


class Hand:
    """A hand that is advanced from outside: deal a street, then apply actions until it ends.

    rules: record of `rules.rules_record`; table: record of `state.table_record`; stacks: chips by seat, all > 0;
    slots: 52 card codes by slot (255 = hidden), or None when `deal` is given the cards of each street.
    """

    def __init__(
        self,
        rules: np.ndarray,
        table: np.ndarray,
        stacks: Sequence[int],
        slots: Sequence[int] | None = None,
        game: Game = GAMES["razz"],
    ) -> None:
        self._game = game.record
        self._rules, self._tables = rules, table.copy()
        self._hands, self._mes = np.zeros(1, state.HAND_DTYPE), np.zeros(state.MAX_SEATS, state.ME_DTYPE)
        self._mes["seat"], self._mes["cards"] = np.arange(state.MAX_SEATS), NO_CARD
        self._decks = np.zeros(1, state.DECK_DTYPE)
        self._decks["n_drawn"] = N_CARDS
        self._decks["cards"] = NO_CARD if slots is None else np.asarray(slots, np.uint8)
        self._code = _start_entry(self._tables, self._hands, np.asarray(stacks, np.int64))
        self.n_to_show = 0

    @property
    def table(self) -> np.void:
        """The public record, fields of `state.TABLE_DTYPE`."""
        return self._tables[0]

    @property
    def state(self) -> np.void:
        """The engine's own record, fields of `state.HAND_DTYPE`."""
        return self._hands[0]

    def me(self, seat: int) -> np.void:
        """A seat's private record, fields of `state.ME_DTYPE`; what it may do is filled in when it acts."""
        return self._mes[seat]

    @property
    def actor(self) -> int | None:
        """The seat that must act, None between streets and after the hand."""
        return int(self.state["actor"]) if self._code == state.OK else None

    @property
    def street_is_over(self) -> bool:
        """True when the next thing to do is `deal`."""
        return self._code == state.STREET_ENDS

    @property
    def is_over(self) -> bool:
        """True when the next thing to do is `settle`, or it was done."""
        return self._code == state.HAND_ENDS

    @property
    def legal(self) -> tuple[int, ...]:
        """Legal actions of the actor, rising."""
        if self.actor is None:
            return ()
        mask = int(self.me(self.actor)["legal_mask"])
        return tuple(action for action in (state.FOLD, state.CALL, state.RAISE) if mask >> action & 1)

    def deal(self, cards: dict[int, Sequence[int]] | None = None) -> None:
        """Deal the next street. cards: seat -> its new card codes (255 hidden); None = from the slots.

        Raises HandIsOver when no street is due.
        """
        if not self.street_is_over:
            raise HandIsOver("no street is due: " + ("the hand is over" if self.is_over else "a seat must act"))
        for seat, codes in (cards or {}).items():
            for slot, code in zip(self._next_slots(seat), codes, strict=True):
                self._decks["cards"][0, slot] = code
        records = (self._rules, self._game, self._tables, self._hands, self._decks, self._mes)
        self._code = _next_street_entry(*records)

    def _next_slots(self, seat: int) -> list[int]:
        n, street = int(self.table["n_seats"]), int(self.table["street"])
        if street == 0:
            return [seat, n + seat, 2 * n + seat]
        if street < state.SIXTH:
            return [street * n + seat]
        return [int(_seventh_slot_entry(self._tables, seat))]

    def apply(self, action: int) -> None:
        """The actor folds, calls or raises. Raises IllegalAction, naming what is legal, and HandIsOver."""
        if self.actor is None:
            raise HandIsOver("nobody is to act")
        actor, legal = self.actor, self.legal
        if action not in legal or not hasattr(action, "__index__"):
            names = ", ".join(f"{a} ({ACTION_NAMES[a]})" for a in legal)
            raise IllegalAction(f"seat {actor} on street {self.table['street']}: {action!r} is not legal; {names}")
        self._code = _apply_entry(self._rules, self._tables, self._hands, self._mes, action)

    def settle(self, winners: Sequence[Sequence[int]] | None = None) -> None:
        """Pay the pots. winners: by pot, main pot first, when cards are hidden; None = compare the lows.

        Raises EngineError before the end of the hand, ChipsLost if chips do not add up.
        """
        if not self.is_over:
            raise EngineError("the hand is not over yet")
        if winners is not None:
            self._hands["low"] = 1 << 20
            for place, seats in enumerate(winners):
                self._hands["low"][0, list(seats)] = np.minimum(self._hands["low"][0, list(seats)], place)
        code, self.n_to_show = _settle_entry(self._rules, self._game, self._tables, self._hands, winners is None)
        if code == state.CHIPS_LOST:
            raise ChipsLost(f"net {self.net}, rake {self.state['rake_chips']}")

    @property
    def net(self) -> list[int]:
        """Chips won or lost by seat, after `settle`."""
        return [int(x) for x in self.state["net_chips"][: self.table["n_seats"]]]

    @property
    def pots(self) -> list[Pot]:
        """The pots, main pot first, after `settle`."""
        hand = self.state
        return [
            Pot(
                int(hand["pot_chips"][k]),
                int(hand["pot_rake_chips"][k]),
                seats_of(int(hand["pot_seats_mask"][k])),
                seats_of(int(hand["pot_winners_mask"][k])),
            )
            for k in range(hand["n_pots"])
        ]

    @property
    def show_order(self) -> list[int]:
        """Seats in the order they show or muck, after `settle`; empty when all others folded."""
        return [int(seat) for seat in self.state["show_order"][: self.n_to_show]]

    @property
    def shown(self) -> set[int]:
        """Seats whose cards were turned over, after `settle`. Needs known cards."""
        return {seat for seat in self.show_order if self.table["shown"][seat, 2] != NO_CARD}


def seats_of(mask: int) -> tuple[int, ...]:
    """Seats of a mask, rising."""
    return tuple(seat for seat in range(state.MAX_SEATS) if mask >> seat & 1)
