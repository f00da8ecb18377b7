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
from razzsim.strategy.loader import compiled
from razzsim.strategy.source import Source
from tests.bench.harness import Result, cpu_seconds, result
from tests.bench.tables import example_sources, group_player, played_hands

N_VIEWS = 400
"""Decisions recorded for the limit, at least. The branch predictor learns fewer by heart (with 200 the engine took 3.4
times as long as the limit at six seats), more fall out of the nearest caches (with 3,000: 1.7 times, and heads-up less
than the limit)."""


@dataclass(frozen=True)
class Recorded:
    """What some deals of a table took.

    mes, tables, entries: views and addresses in the order of decisions; masks: ranks of the hands shown down;
    n_cards: by deal; spans: by hand, from which to which view and from which to which mask.
    """

    mes: np.ndarray
    tables: np.ndarray
    entries: np.ndarray
    masks: np.ndarray
    n_cards: np.ndarray
    spans: np.ndarray


def record(sources: list[Source]) -> Recorded:
    """Play deals step by step until there are N_VIEWS decisions and a power of two of deals."""
    views, entries, n_cards, masks, spans = [], [], [], [], []
    addresses = [address_of(compiled(source)) for source in sources]
    while len(views) < N_VIEWS or len(n_cards) & (len(n_cards) - 1):
        most = 0
        for hand, copies, seen, _ in played_hands(sources, len(n_cards)):
            before, shown_before = len(views), len(masks)
            views += seen
            entries += [addresses[copy] for copy in copies]
            most = max(most, min(52, int(hand.table["street"]) * len(sources)))
            if hand.state["showdown"]:
                masks += [int(hand.me(seat)["rank_mask"]) for seat in hand.show_order]
            spans.append((before, len(views), shown_before, len(masks)))
        n_cards.append(most)
    mes = np.array([me for me, _ in views], ME_DTYPE)
    tables = np.array([table for _, table in views], TABLE_DTYPE)
    numbers = (np.array(values, np.int64) for values in (entries, masks, n_cards, spans))
    return Recorded(mes, tables, *numbers)


@njit(nogil=True, cache=True)
def _limit_nb(games, decks, mes, tables, entries, masks, n_cards, spans, n_rotations, first_deal, n_deals):
    """(something that depends on all of it, decisions) of n_deals; hands come in the order they were recorded in."""
    game, deck, total, n_decisions, hand = games[0], decks[0], 0, 0, 0
    for deal in range(first_deal, first_deal + n_deals):
        start_deal_nb(deck, 1, 3, deal)
        draw_nb(deck, n_cards[deal & (len(n_cards) - 1)])
        for _ in range(n_rotations):
            first, end, first_shown, end_shown = spans[hand]
            hand = hand + 1 if hand + 1 < len(spans) else 0
            for k in range(first, end):
                total += ask_nb(entries[k], mes[k], tables[k])
            n_decisions += end - first
            best = np.int64(1 << 30)
            for k in range(first_shown, end_shown):
                best = min(best, np.int64(game.unpaired_low[masks[k]]))
            total += best
    return total, n_decisions


def limit(quick: bool) -> list[Result]:
    """Nanoseconds a hand of the limit and of the engine, interleaved, and their ratio."""
    results = []
    for n in (2, 3, 6, 8):
        sources = example_sources(n)
        recorded, player = record(sources), group_player(sources)
        results += _against_limit(n, recorded, player, quick)
    return results


def _against_limit(n: int, recorded: Recorded, player: GroupPlayer, quick: bool) -> list[Result]:
    deals = (30_000 if quick else 120_000) // n
    deck, game = np.zeros(1, DECK_DTYPE), GAMES["razz"].record
    deck["n_ahead"] = BLOCKS_AHEAD
    of = (recorded.mes, recorded.tables, recorded.entries, recorded.masks, recorded.n_cards, recorded.spans, n)
    _limit_nb(game, deck, *of, 0, 10)
    player.play(0, 10)
    limits, engines = [], []
    for take in range(5 if quick else 15):
        limits.append(cpu_seconds(partial(_limit_nb, game, deck, *of, take * deals, deals)))
        engines.append(cpu_seconds(partial(player.play, take * deals, deals)))
    hands = deals * n
    # The recorded hands are few: per decision, the limit is no easier for a sample with short ones.
    played = float(player.work["n_decisions"][0])
    least = [t * played / float(_limit_nb(game, deck, *of, 0, deals)[1]) for t in limits]
    ratios = [engine / best for engine, best in zip(engines, least, strict=True)]
    return [
        result("limit", f"limit kernel, {n} seats", [t / hands * 1e9 for t in least], "ns/hand"),
        result("limit", f"engine, example strategies, {n} seats", [t / hands * 1e9 for t in engines], "ns/hand"),
        result("limit", f"engine over limit, {n} seats", ratios, "times"),
    ]
