"""Tight: waits for three different low cards and then plays them hard.

The published starting-hand advice for Razz in its plainest form: complete with three unpaired cards eight or
lower, fold the rest unless it is free, keep drawing only with four low cards from fifth street on, where bets
double. Gives up on fourth against a better board after a bad card.
"""

from razzsim.strategy import CALL, FOLD, RAISE, strategy
from razzsim.strategy import features as f


@strategy(open_max=8, reraise_max=6, made_max=8, declares=("deterministic", "stateless"))
def tight(me, table, p):
    """open_max: highest card of a starting hand; reraise_max: of one worth a third bet; made_max: of a low to bet."""
    may_raise = f.may_raise(me)
    check_or_fold = f.check_or_fold(me)
    lows = f.n_low(me, p.open_max)
    if table.street == 3:
        if lows < 3:
            return check_or_fold
        strong = f.n_low(me, p.reraise_max) == 3
        return RAISE if may_raise and (table.n_bets == 0 or (strong and table.n_bets < 3)) else CALL
    theirs = f.best_up(me, table, p.open_max)
    if table.street == 4:
        if lows == 4:
            return RAISE if may_raise and table.n_bets < 3 else CALL
        return CALL if theirs <= 1 or me.to_call_chips == 0 else FOLD
    if f.made_low(me) <= p.made_max:
        return RAISE if may_raise and (table.n_bets < 2 or f.roughness(me) <= 6) else CALL
    if table.street < 7:
        good_draw = lows >= 4 and (table.street == 5 or theirs < 4)
        return CALL if good_draw else check_or_fold
    return CALL if f.made_low(me) <= 10 and theirs < 4 else check_or_fold
