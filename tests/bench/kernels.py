"""The engine by itself, in one process: with the strategies, and with a trivial one; what its parts cost."""

from collections.abc import Callable
from functools import partial
from types import FunctionType

import numpy as np
from numba import njit

from razzsim.engine import bulk
from razzsim.engine.dealing import draw_nb, start_deal_nb
from razzsim.engine.entries import STRATEGY_SIGNATURE, address_of, ask_nb
from razzsim.engine.jit import inlined, kernel_of
from razzsim.engine.state import BLOCKS_AHEAD, DECK_DTYPE, ME_DTYPE, TABLE_DTYPE
from tests.bench.harness import Result, cpu_seconds, result
from tests.bench.tables import example_sources, group_player

TABLES = ((2, "razz"), (3, "razz"), (6, "razz"), (6, "deuce_to_seven_razz"), (8, "razz"))


@njit(STRATEGY_SIGNATURE, cache=True)
def calls_or_raises(me, table):
    """The trivial strategy: raises the first bet of a street, else calls."""
    return 2 if me.legal_mask & 4 and table.n_bets == 0 else 1


def kernel(quick: bool) -> list[Result]:
    """Hands a second of one core with the example strategies; in the long run also with a trivial one, inlined."""
    results = []
    for n, game in TABLES:
        results += _played(group_player(example_sources(n), game), f"example strategies, {n} seats, {game}", quick)
    if not quick:  # it is compiled anew each time
        own = bulk.kernel
        try:
            trivial = _kernel_with_inlined(calls_or_raises.py_func)
            bulk.kernel = lambda: trivial
            for n in (2, 3, 6, 8):
                player = group_player(example_sources(n))
                results += _played(player, f"trivial strategy inlined, {n} seats, razz", quick)
        finally:
            bulk.kernel = own
    return results


def _played(player: bulk.GroupPlayer, name: str, quick: bool) -> list[Result]:
    player.play(0, 100)
    deals = (60_000 if quick else 240_000) // int(player.table["n_seats"][0])
    hands, decisions = [], []
    for take in range(3 if quick else 7):
        seconds = cpu_seconds(partial(player.play, take * deals, deals))
        hands.append(float(player.work["n_hands"][0]) / seconds)
        decisions.append(seconds / float(player.work["n_decisions"][0]) * 1e9)
    return [
        result("kernel", name, hands, "hands/s"),
        result("kernel", name, [1e9 / rate for rate in hands], "ns/hand"),
        result("kernel", name, decisions, "ns/decision"),
    ]


def _kernel_with_inlined(strategy: Callable[..., int]) -> Callable[..., int]:
    """The kernel, compiled with one strategy in it instead of a call by address."""
    decide = inlined(strategy)
    names = {**vars(bulk), "ask_nb": inlined(lambda _address, me, table: decide(me, table))}
    for part in ("_decide_nb", "_play_hand_nb"):
        names[part] = inlined(FunctionType(getattr(bulk, part).py_func.__code__, names))
    return kernel_of(bulk.KERNEL_SIGNATURE, cache=False)(FunctionType(bulk._play_groups.__code__, names))


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


def parts(quick: bool) -> list[Result]:
    """What a card costs, and what calling a strategy by address costs over having it inlined."""
    decks = np.zeros(1, DECK_DTYPE)
    decks["n_ahead"] = BLOCKS_AHEAD
    results = []
    for n_slots in (14, 42, 52):
        _draw_nb(decks, 10, n_slots)
        deals = (200_000 if quick else 1_000_000) // n_slots
        takes = [cpu_seconds(partial(_draw_nb, decks, deals, n_slots)) / (deals * n_slots) * 1e9 for _ in range(5)]
        results.append(result("parts", f"a card, {n_slots} of a deck", takes, "ns"))
    mes, tables, address, n = np.zeros(1, ME_DTYPE), np.zeros(1, TABLE_DTYPE), address_of(calls_or_raises), 2_000_000
    _call_nb(mes, tables, address, 10), _inline_nb(mes, tables, 10)
    called = [cpu_seconds(partial(_call_nb, mes, tables, address, n)) / n * 1e9 for _ in range(5)]
    within = [cpu_seconds(partial(_inline_nb, mes, tables, n)) / n * 1e9 for _ in range(5)]
    return [
        *results,
        result("parts", "a trivial strategy called by address", called, "ns/call"),
        result("parts", "the same inlined", within, "ns/call"),
    ]
