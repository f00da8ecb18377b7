"""Thief: lives on the antes. Completes whenever its door card is the lowest left in the hand.

Razz shows everyone's door card, so a low one in late seat against high ones takes the antes often enough to be
played with anything underneath. Otherwise it plays the tight game, and gives up a caught steal on fifth street.
"""

from razzsim.strategy import CALL, RAISE, strategy
from razzsim.strategy import features as f


@strategy(steal_door=9, open_max=8, made_max=8, declares=("deterministic", "stateless"))
def thief(me, table, p):
    """steal_door: highest door card to steal with; open_max: of an honest start; made_max: of a low to bet."""
    may_raise = f.may_raise(me)
    check_or_fold = f.check_or_fold(me)
    lows = f.n_low(me, p.open_max)
    if table.street == 3:
        stealing = f.is_steal(me, table) and f.door(table, me.seat) <= p.steal_door
        if lows == 3 or stealing:
            return RAISE if may_raise and table.n_bets < 1 + (lows == 3) else (CALL if lows >= 2 else check_or_fold)
        return check_or_fold
    mine, theirs = f.up_low(table, me.seat, p.open_max), f.best_up(me, table, p.open_max)
    looks_ahead = mine > theirs and f.n_live(table) == 2
    if table.n_bets == 0 and may_raise and (looks_ahead or lows >= table.street):
        return RAISE
    if f.made_low(me) <= p.made_max:
        return RAISE if may_raise and table.n_bets < 3 else CALL
    if table.street < 7:
        return CALL if lows >= 4 or (table.street == 4 and lows == 3) else check_or_fold
    return CALL if f.made_low(me) <= 9 else check_or_fold
