"""The games: what they call low, as tables for the kernels. Betting, dealing and pots know none of this."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numba import njit

from razzsim.engine.cards import N_CARDS, RANKS
from razzsim.engine.exposed import exposed_steps
from razzsim.engine.held import pack_nb
from razzsim.engine.lows import (
    CLASS_NAMES,
    FIVE_OF_SEVEN,
    five_low_nb,
    low_class,
    low_nb,
    low_ranks,
    unpaired_lows,
)
from razzsim.engine.state import GAME_DTYPE


@dataclass(frozen=True)
class Game:
    """A game: its ranks from the best to the worst, and whether straights and flushes count against a low."""

    title: str
    ranks: str
    suits_count: bool

    @cached_property
    def record(self) -> np.ndarray:
        """GAME_DTYPE[1], the form the kernels take."""
        order = [self.ranks.index(rank) for rank in RANKS]
        record = np.zeros(1, GAME_DTYPE)
        record["unpaired_low"][0] = unpaired_lows(order, straights=self.suits_count)
        record["exposed_step"][0] = exposed_steps(order)
        record["card_order"][0] = [order[code >> 2] * 4 + (code & 3) for code in range(N_CARDS)]
        record["suits_count"] = self.suits_count
        return record

    def low_text(self, low: int) -> str:
        """How players write a low: `8-6-4-3-2`."""
        return "-".join(low_ranks(low, self.ranks))

    def low_class(self, low: int) -> str:
        """`unpaired`, `one pair` .."""
        return CLASS_NAMES[low_class(low)]


@njit(cache=True)
def _best_five_entry(games, cards):
    ranks, held = pack_nb(cards)
    low = low_nb(games[0], ranks, held)
    for chosen in FIVE_OF_SEVEN:
        if chosen < 1 << len(cards) and five_low_nb(games[0], held, chosen) == low:
            return low, chosen
    return low, np.int64(0)


def best_five(game: Game, cards: Sequence[int]) -> tuple[int, list[int]]:
    """The low of 5 to 7 card codes, and five of them that make it."""
    low, chosen = _best_five_entry(game.record, np.asarray(cards, np.uint8))
    return int(low), [card for i, card in enumerate(cards) if chosen >> i & 1]


GAMES = {
    "razz": Game("Razz (ace to five)", RANKS, suits_count=False),
    "deuce_to_seven_razz": Game("Deuce-to-seven Razz", RANKS[1:] + "A", suits_count=True),
}
