"""Tables of the example strategies, as the workers lay them, and their hands played step by step."""

from collections.abc import Iterator

import numpy as np

from razzsim.engine import bulk, rules, state
from razzsim.engine.games import GAMES
from razzsim.engine.hand import Hand, deck, dice
from razzsim.plan.resolve import shipped
from razzsim.strategy.loader import compiled, load
from razzsim.strategy.source import Source, read_source

LIMITS = (3, 5, 20, 40)
STACK = 3 + 4 * (2 * 20 + 3 * 40)  # covers every bet
EXAMPLES = ("tight", "thief", "loose", "station")
SEED, DOMAIN = 1, 3


def example_sources(n_seats: int) -> list[Source]:
    """The example strategies around a table of n seats."""
    return [read_source(shipped("strategies") / f"{EXAMPLES[k % 4]}.py") for k in range(n_seats)]


def group_player(sources: list[Source], game: str = "razz") -> bulk.GroupPlayer:
    """A table of strategies as the workers lay it."""
    n = len(sources)
    work = np.zeros(1, bulk.WORK_DTYPE)
    work["seed"], work["domain"], work["n_rotations"], work["shuffled"] = SEED, DOMAIN, n, n > 2
    names = list(dict.fromkeys(source.stem for source in sources))
    work["n_entrants"] = len(names)
    work["start_chips"][0, :n] = STACK
    params = np.zeros((n, state.N_PARAMS))
    for copy, source in enumerate(sources):
        strategy = load(source)
        work["entrant_of"][0, copy] = names.index(source.stem)
        work["wants_dice"][0, copy] = strategy.wants_dice
        params[copy, : len(strategy.params)] = list(strategy.params.values())
    record = rules.rules_record(rules.rules_of("pokerstars"))
    return bulk.GroupPlayer(
        record, state.table_record(*LIMITS, n), [compiled(s) for s in sources], params, work, GAMES[game]
    )


def played_hands(
    sources: list[Source], deal: int
) -> Iterator[tuple[Hand, list[int], list[tuple[np.void, np.void]], list[int]]]:
    """Every rotation of a deal, played step by step and settled: the hand; by decision the copy, view and action."""
    player, n = group_player(sources), len(sources)
    player.play(deal, 1)  # leaves the seating of the deal in its records
    order = [int(copy) for copy in player.work["order"][0, :n]]
    slots, record = deck(SEED, deal, DOMAIN), rules.rules_record(rules.rules_of("pokerstars"))
    for rotation in range(n):
        hand = Hand(record, state.table_record(*LIMITS, n), [STACK] * n, slots)
        copies, views, actions = [], [], []
        while not hand.is_over:
            if hand.street_is_over:
                hand.deal()
                continue
            copies.append(order[(hand.actor + rotation) % n])
            me = hand.me(hand.actor)
            me["params"] = player.mes[copies[-1]]["params"]
            if player.work["wants_dice"][0, copies[-1]]:
                me["dice"] = dice(SEED, deal, hand.actor, int(hand.table["street"]), int(me["decision"]), DOMAIN)
            views.append((me.copy(), hand.table.copy()))
            actions.append(int(compiled(sources[copies[-1]])(me, hand.table)))
            hand.apply(actions[-1])
        hand.settle()
        yield hand, copies, views, actions
