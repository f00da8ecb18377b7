"""The limit: a kernel that does only what no engine can leave out, and how far from it the engine is.

It draws as many cards from the same streams, compares as many lows at showdown and calls the same strategies as often,
on views that real hands of these strategies have left; it deals, bets, moves and pays nothing.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numba import njit

from razzsim.engine.bulk import GroupPlayer
from razzsim.engine.dealing import draw_nb, start_deal_nb
from razzsim.engine.entries import address_of, ask_nb
from razzsim.engine.games import GAMES
from razzsim.engine.state import BLOCKS_AHEAD, DECK_DTYPE, ME_DTYPE, TABLE_DTYPE
from razzsim.strategy.loader import Source, compiled
from tests.bench.harness import Result, cpu_seconds, result
from tests.bench.tables import example_sources, group_player, played_hands

N_VIEWS = 800
"""Decisions recorded for the limit: enough that no branch predictor knows them by heart, few enough for the L2 cache."""


@dataclass(frozen=True)
class Recorded:
    """What some deals of a table took: views in the order of decisions; cards, decisions and lows by deal."""

    mes: np.ndarray
    tables: np.ndarray
    entries: np.ndarray
    per_deal: np.ndarray
    masks: np.ndarray

    @property
    def n_hands(self) -> int:
        """Hands of the recorded deals."""
        return len(self.per_deal) * int(self.tables["n_seats"][0])


def record(sources: list[Source]) -> Recorded:
    """Play deals step by step until N_VIEWS decisions are there, and keep what they took."""
    mes, tables, entries, per_deal, masks = [], [], [], [], []
    addresses = [address_of(compiled(source)) for source in sources]
    deal = 0
    while len(mes) < N_VIEWS:
        before, lows_before, n_cards = len(mes), len(masks), 0
        for hand, copies, views, _ in played_hands(sources, deal):
            mes += [me for me, _ in views]
            tables += [table for _, table in views]
            entries += [addresses[copy] for copy in copies]
            n_cards = max(n_cards, min(52, max(3, int(hand.table["street"])) * len(sources)))
            if hand.state["showdown"]:
                masks += [int(hand.me(seat)["rank_mask"]) for seat in hand.show_order]
        per_deal.append((n_cards, len(mes) - before, len(masks) - lows_before))
        deal += 1
    return Recorded(
        np.array(mes, ME_DTYPE),
        np.array(tables, TABLE_DTYPE),
        np.array(entries, np.int64),
        np.array(per_deal, np.int64),
        np.array(masks, np.int64),
    )


@njit(nogil=True)
def _limit_nb(games, decks, mes, tables, entries, per_deal, masks, first_deal, n_rounds):
    game, deck, total = games[0], decks[0], 0
    deal = first_deal
    for _ in range(n_rounds):
        view, shown = 0, 0
        for row in range(len(per_deal)):
            start_deal_nb(deck, 1, 3, deal)
            draw_nb(deck, per_deal[row, 0])
            deal += 1
            for k in range(view, view + per_deal[row, 1]):
                total += ask_nb(entries[k], mes[k], tables[k])
            view += per_deal[row, 1]
            best = np.int64(1 << 30)
            for k in range(shown, shown + per_deal[row, 2]):
                best = min(best, np.int64(game.unpaired_low[masks[k]]))
            shown += per_deal[row, 2]
            total += best
    return total


def limit(quick: bool) -> list[Result]:
    """Nanoseconds a hand of the limit and of the engine, interleaved, and their ratio."""
    results = []
    for n in (2, 3, 6, 8):
        sources = example_sources(n)
        recorded, player = record(sources), group_player(sources)
        results += _against_limit(n, recorded, player, quick)
    return results


def _against_limit(n: int, recorded: Recorded, player: GroupPlayer, quick: bool) -> list[Result]:
    rounds = (30_000 if quick else 120_000) // recorded.n_hands
    deals = rounds * len(recorded.per_deal)
    deck, game = np.zeros(1, DECK_DTYPE), GAMES["razz"].record
    deck["n_ahead"] = BLOCKS_AHEAD
    arrays = (recorded.mes, recorded.tables, recorded.entries, recorded.per_deal, recorded.masks)
    _limit_nb(game, deck, *arrays, 0, 1)
    player.play(0, 100)
    limits, engines = [], []
    for take in range(5 if quick else 15):
        limits.append(cpu_seconds(partial(_limit_nb, game, deck, *arrays, take * deals, rounds)))
        engines.append(cpu_seconds(partial(player.play, take * deals, deals)))
    hands = deals * n
    ratios = [engine / least for engine, least in zip(engines, limits, strict=True)]
    return [
        result("limit", f"limit kernel, {n} seats", [t / hands * 1e9 for t in limits], "ns/hand"),
        result("limit", f"engine, example strategies, {n} seats", [t / hands * 1e9 for t in engines], "ns/hand"),
        result("limit", f"engine over limit, {n} seats", ratios, "times"),
    ]
