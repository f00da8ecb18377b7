"""The engine by itself, in one process: with the example strategies, and with a trivial one inlined."""

from collections.abc import Callable
from functools import partial
from types import FunctionType
from zlib import crc32

from numba import njit

from razzsim.engine import bulk
from razzsim.engine.cards import NO_CARD
from razzsim.engine.jit import inlined
from razzsim.engine.state import SEVENTH
from tests.bench.harness import Result, cpu_seconds, result
from tests.bench.parts import calls_or_raises
from tests.bench.tables import example_sources, group_player

TABLES = ((2, "razz"), (3, "razz"), (6, "razz"), (6, "deuce_to_seven_razz"), (8, "razz"))


def kernel(quick: bool) -> list[Result]:
    """One core with the example strategies, and with a trivial one compiled into the kernel.

    A decision, a card, a showdown: the time of everything, divided by how many of them there were.
    """
    results = []
    for n, game in TABLES:
        results += _played(group_player(example_sources(n), game), f"example strategies, {n} seats, {game}", quick)
    own, trivial = bulk.kernel, _kernel_with_inlined(calls_or_raises.py_func)
    try:
        bulk.kernel = lambda: trivial
        for n in (2, 3, 6, 8):
            results += _played(group_player(example_sources(n)), f"trivial strategy inlined, {n} seats, razz", quick)
    finally:
        bulk.kernel = own
    return results


def _played(player: bulk.GroupPlayer, name: str, quick: bool) -> list[Result]:
    player.play(0, 100)
    deals = (60_000 if quick else 240_000) // int(player.table["n_seats"][0])
    takes = [cpu_seconds(partial(player.play, take * deals, deals)) for take in range(3 if quick else 7)]
    hands, decisions = float(player.work["n_hands"][0]), float(player.work["n_decisions"][0])
    cards, showdowns = _of_a_hand(player)
    counts = {"hand": hands, "decision": decisions, "card": hands * cards, "showdown": hands * showdowns}
    return [
        result("kernel", name, [hands / seconds for seconds in takes], "hands/s"),
        *(result("kernel", name, [s / n * 1e9 for s in takes], f"ns/{of}") for of, n in counts.items()),
    ]


def _of_a_hand(player: bulk.GroupPlayer, deals: int = 10_000) -> tuple[float, float]:
    """Cards dealt and showdowns of a mean hand: of the first rotations of some deals, each looked at when it is over.

    Of so many, the share of showdowns is right to 1% of itself at six seats, to 11% heads-up, where one in 120 is.
    """
    player.work["n_rotations"], n_rotations = 1, int(player.work["n_rotations"][0])
    cards = showdowns = 0
    for deal in range(deals):
        player.play(deal, 1)
        table, n = player.table[0], int(player.table[0]["n_seats"])
        cards += 2 * n + int(table["n_up"][:n].sum())
        if table["street"] == SEVENTH:
            cards += 1 if table["community"] != NO_CARD else int(table["live_mask"]).bit_count()
        showdowns += int(player.hand[0]["showdown"])
    player.work["n_rotations"] = n_rotations
    return cards / deals, showdowns / deals


def _kernel_with_inlined(strategy: Callable[..., int]) -> Callable[..., int]:
    """The kernel, compiled with one strategy in it instead of a call by address; kept on disk under its own name."""
    decide = inlined(strategy)
    names = {**vars(bulk), "ask_nb": inlined(lambda _address, me, table: decide(me, table))}
    for part in ("_decide_nb", "_play_hand_nb"):
        names[part] = inlined(FunctionType(getattr(bulk, part).py_func.__code__, names))
    body = FunctionType(bulk._play_groups.__code__, names)
    # Numba's cache goes by this name, and does not look into what is inlined.
    body.__qualname__ = f"_play_groups_{crc32(strategy.__code__.co_code):x}"
    return njit(bulk.KERNEL_SIGNATURE, nogil=True, cache=True)(body)
