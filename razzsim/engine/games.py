"""The games: what they call low, as tables for the kernels. Betting, dealing and pots know none of this."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from razzsim.engine.cards import N_CARDS, RANKS
from razzsim.engine.exposed import exposed_steps
from razzsim.engine.lows import CLASS_NAMES, low_class, low_ranks, unpaired_lows
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


GAMES = {
    "razz": Game("Razz (ace to five)", RANKS, suits_count=False),
    "deuce_to_seven_razz": Game("Deuce-to-seven Razz", RANKS[1:] + "A", suits_count=True),
}
