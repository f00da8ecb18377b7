"""Loose: plays many hands and bets them whenever it is ahead on board, or looks it.

The loose-aggressive player of every card room: enters with two cards to a nine, completes and raises with
three, keeps the betting lead while its board looks no worse than the others, and now and then raises as a bluff.
"""

from razzsim.strategy import CALL, RAISE, strategy
from razzsim.strategy import features as f


@strategy(open_max=9, bluff=0.12, declares=("stateless",))
def loose(me, table, p):
    """open_max: highest card it calls low; bluff: share of decisions it raises without a reason."""
    may_raise = f.may_raise(me)
    check_or_fold = f.check_or_fold(me)
    lows = f.n_low(me, p.open_max)
    mine, theirs = f.up_low(table, me.seat, p.open_max), f.best_up(me, table, p.open_max)
    if may_raise and table.n_bets < 3 and f.uniform(me, 0) < p.bluff and mine >= theirs:
        return RAISE
    if table.street == 3:
        if lows < 2 or (lows == 2 and table.n_bets > 1):
            return check_or_fold
        return RAISE if may_raise and lows == 3 and table.n_bets < 3 else CALL
    made = f.made_low(me)
    if made <= 9 or (table.street < 6 and lows >= 4):
        return RAISE if may_raise and table.n_bets < 3 else CALL
    if mine > theirs and table.n_bets == 0 and may_raise:
        return RAISE
    if table.street == 7:
        return CALL if made <= 11 else check_or_fold
    return CALL if lows >= min(table.street - 2, 4) else check_or_fold
