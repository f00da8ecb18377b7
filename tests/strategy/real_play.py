"""Views met in real play: hands played by strategies, each decision's two records kept as they were."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from razzsim.engine.hand import Hand, deck
from razzsim.engine.rules import rules_of, rules_record
from razzsim.engine.state import table_record
from razzsim.plan.resolve import shipped, strategy_file
from razzsim.strategy.loader import compiled, load
from razzsim.strategy.source import KINDS, read_source

NAMES = sorted(path.stem for path in shipped("strategies").iterdir() if path.suffix in KINDS)


@dataclass
class Player:
    """A shipped strategy, as written and compiled, with its parameters as the records carry them."""

    name: str

    def __post_init__(self):
        self.source = read_source(*strategy_file(self.name, Path()))
        self.strategy, self.entry = load(self.source), compiled(self.source)
        self.params = np.zeros(16)
        self.params[: len(self.strategy.params)] = list(self.strategy.params.values())

    def compiled_action(self, me, table):
        """me, table: arrays of one record."""
        return self.entry(me[0], table[0])

    def written_action(self, me, table):
        """The same without compilation."""
        return self.strategy(me.view(np.recarray)[0], table.view(np.recarray)[0])


def views(players, n_hands, n_seats=6):
    """(player, me, table) of every decision of n_hands; seat s of hand h is played by players[(h + s) % len]."""
    rules, dice = rules_record(rules_of("pokerstars")), np.random.default_rng(1)
    for number in range(n_hands):
        table = table_record(3, 5, 20, 40, n_seats)
        hand = Hand(rules, table, [2000] * n_seats, deck(11, number))
        while not hand.is_over:
            if hand.street_is_over:
                hand.deal()
                continue
            player = players[(number + hand.actor) % len(players)]
            me = np.array([hand.me(hand.actor)])
            me["params"] = player.params
            if player.strategy.wants_dice:
                me["dice"] = dice.integers(0, 1 << 64, dtype=np.uint64)
            table = np.array([hand.table])
            yield player, me, table
            hand.apply(player.compiled_action(me, table))
