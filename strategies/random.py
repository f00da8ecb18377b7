"""Random: every legal action alike, from its dice. It plays no idea at all; whatever loses to it has a fault."""

from razzsim.strategy import features as f
from razzsim.strategy import strategy


@strategy(declares=("stateless",))
def random(me, table, p):
    """One of the legal actions, each as likely as the others."""
    n = (me.legal_mask & 1) + (me.legal_mask >> 1 & 1) + (me.legal_mask >> 2 & 1)
    pick = int(f.uniform(me, 0) * n)
    for action in range(3):
        if me.legal_mask >> action & 1:
            if pick == 0:
                return action
            pick -= 1
    return 1
