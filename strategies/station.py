"""Station: the calling station. Calls with anything that could still become a low, almost never raises.

It is the customary measuring stick: whoever bets good hands for value beats it, whoever bluffs it does not.
"""

from razzsim.strategy import CALL, RAISE, strategy
from razzsim.strategy import features as f


@strategy(fold_below=2, declares=("deterministic", "stateless"))
def station(me, table, p):
    """fold_below: it folds on third street with fewer cards than this that are nine or lower."""
    if table.street == 3 and f.n_low(me, 9) < p.fold_below:
        return f.check_or_fold(me)
    if table.street == 7:
        made = f.made_low(me)
        if made <= 6 and f.may_raise(me):
            return RAISE
        if made == 14:
            return f.check_or_fold(me)
    return CALL
