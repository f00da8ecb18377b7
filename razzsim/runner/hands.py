"""One hand of a stored run as a `Hand` that is asked for its decisions one by one."""

from collections.abc import Callable
from dataclasses import dataclass

from razzsim.engine.games import GAMES, Game
from razzsim.engine.hand import Hand, deck, dice
from razzsim.engine.rules import rules_record
from razzsim.engine.seating import holders
from razzsim.engine.state import CALL, FOLD, table_record
from razzsim.plan import Plan
from razzsim.store import StoreError
from razzsim.strategy.loader import compiled, load


@dataclass(frozen=True)
class StoredHand:
    """A hand before its first card, who sits where, and what the actor will do."""

    hand: Hand
    game: Game
    names: list[str]
    decide: Callable[[Hand], int]


def stored_hand(plan: Plan, line_up: int, deal: int, rotation: int) -> StoredHand:
    """The hand as the run played it. `decide` raises StoreError where a strategy fails and is not folded for it."""
    planned, limits = plan.line_ups[line_up], plan.limits_of(plan.line_ups[line_up])
    n = limits["seats"]
    copies = holders(plan.seed, deal, rotation, n, shuffled=plan.schedule == "table")
    entrants = [plan.entrants[planned.entrants[copy]] for copy in copies]
    button = deal % n if plan.rules["dealer"] == "rotates" else -1
    chips = (limits["ante"], limits["bring_in"], limits["small_bet"], limits["big_bet"])
    table = table_record(*chips, n, button)
    hand = Hand(rules_record(plan.rules), table, limits["stacks"], deck(plan.seed, deal), GAMES[plan.game])

    def decide(hand: Hand) -> int:
        seat = hand.actor
        assert seat is not None
        me, entrant = hand.me(seat), entrants[seat]
        strategy = load(entrant.source)
        for place, name in enumerate(strategy.params):
            me["params"][place] = entrant.params[name]
        if strategy.wants_dice:
            me["dice"] = dice(plan.seed, deal, seat, int(hand.table["street"]), int(me["decision"]))
        try:
            action = int(compiled(entrant.source)(me, hand.table))
            said = f"returned {action}, which is not legal here"
        except Exception as error:
            action, said = -1, f"raised {type(error).__name__}: {error}"
        if action in hand.legal:
            return action
        if plan.on_error == "fold":
            return FOLD if FOLD in hand.legal else CALL
        raise StoreError(f"strategy {entrant.name}, deal {deal}, rotation {rotation}, seat {seat}: {said}")

    return StoredHand(hand, GAMES[plan.game], [entrant.name for entrant in entrants], decide)
