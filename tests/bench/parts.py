"""What parts of the engine cost by themselves: a card, a showdown, asking a strategy."""

from functools import partial

import numpy as np
from numba import njit

from razzsim.engine import rules
from razzsim.engine.bulk import SPOT_DTYPE
from razzsim.engine.dealing import draw_nb, start_deal_nb
from razzsim.engine.entries import STRATEGY_SIGNATURE, address_of, ask_nb
from razzsim.engine.games import GAMES
from razzsim.engine.settling import rank_hands_nb, settle_nb
from razzsim.engine.state import BLOCKS_AHEAD, DECK_DTYPE, HAND_ENDS, ME_DTYPE, TABLE_DTYPE
from tests.bench.harness import Result, cpu_seconds, result
from tests.bench.tables import example_sources, played_hands

N_SHOWDOWNS = 100
"""Recorded, at least. A round number: how the figures change with it was not measured."""


@njit(STRATEGY_SIGNATURE, cache=True)
def calls_or_raises(me, table):
    """The trivial strategy: raises the first bet of a street, else calls."""
    return 2 if me.legal_mask & 4 and table.n_bets == 0 else 1


@njit(cache=True)
def _draw_nb(decks, n_deals, n_slots):
    for deal in range(n_deals):
        start_deal_nb(decks[0], 1, 3, deal)
        draw_nb(decks[0], n_slots)


@njit(cache=True)
def _call_nb(mes, tables, address, n):
    total = 0
    for k in range(n):
        mes[0].legal_mask = k & 7
        total += ask_nb(address, mes[0], tables[0])
    return total


@njit(cache=True)
def _inline_nb(mes, tables, n):
    total = 0
    for k in range(n):
        mes[0].legal_mask = k & 7
        total += calls_or_raises(mes[0], tables[0])
    return total


@njit(cache=True)
def _showdown_nb(rules, games, spots, n):
    """Rank and settle the recorded hands again and again; how many did not add up."""
    n_bad = 0
    for k in range(n):
        table, hand = spots[k % len(spots)].table, spots[k % len(spots)].hand
        for seat in range(table.n_seats):  # settling has paid them out
            table.stack_chips[seat] = hand.start_chips[seat] - table.hand_chips[seat]
        rank_hands_nb(games[0], table, hand)
        n_bad += settle_nb(rules[0], games[0], table, hand) != HAND_ENDS
    return n_bad


def parts(quick: bool) -> list[Result]:
    """Nanoseconds a card, a showdown, a strategy called by address and inlined; each in a loop of its own."""
    return [*_cards(quick), *_showdowns(quick), *_calls()]


def _cards(quick: bool) -> list[Result]:
    decks = np.zeros(1, DECK_DTYPE)
    decks["n_ahead"] = BLOCKS_AHEAD
    results = []
    for n_slots in (14, 42, 52):
        _draw_nb(decks, 10, n_slots)
        deals = (200_000 if quick else 1_000_000) // n_slots
        takes = [cpu_seconds(partial(_draw_nb, decks, deals, n_slots)) / (deals * n_slots) * 1e9 for _ in range(5)]
        results.append(result("parts", f"a card, {n_slots} of a deck", takes, "ns"))
    return results


def _showdowns(quick: bool) -> list[Result]:
    """The lows of all live seats, the pots and who wins them, for hands of the example strategies."""
    record, game, n = (
        rules.rules_record(rules.rules_of("pokerstars")),
        GAMES["razz"].record,
        500_000 if quick else 2_000_000,
    )
    results = []
    for n_seats in (2, 3, 6, 8):
        spots = _shown_down(n_seats)
        assert _showdown_nb(record, game, spots, len(spots)) == 0
        takes = [cpu_seconds(partial(_showdown_nb, record, game, spots, n)) / n * 1e9 for _ in range(5)]
        results.append(result("parts", f"a showdown, {n_seats} seats: ranked, won and paid", takes, "ns"))
    return results


def _shown_down(n_seats: int) -> np.ndarray:
    spots, deal = [], 0
    while len(spots) < N_SHOWDOWNS:
        hands = [hand for hand, *_ in played_hands(example_sources(n_seats), deal)]
        spots += [(hand.table, hand.state) for hand in hands if hand.state["showdown"]]
        deal += 1
    return np.array(spots, SPOT_DTYPE)


def _calls() -> list[Result]:
    mes, tables, address, n = np.zeros(1, ME_DTYPE), np.zeros(1, TABLE_DTYPE), address_of(calls_or_raises), 2_000_000
    _call_nb(mes, tables, address, 10), _inline_nb(mes, tables, 10)
    called = [cpu_seconds(partial(_call_nb, mes, tables, address, n)) / n * 1e9 for _ in range(5)]
    within = [cpu_seconds(partial(_inline_nb, mes, tables, n)) / n * 1e9 for _ in range(5)]
    return [
        result("parts", "a trivial strategy called by address", called, "ns/call"),
        result("parts", "the same inlined", within, "ns/call"),
    ]
