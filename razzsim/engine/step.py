"""The transition core: a hand is started, then advanced street by street and action by action.

    code = start_hand_nb(...)
    while code == STREET_ENDS:
        code = next_street_nb(...)
        while code == OK:
            give_view_nb(...); code = apply_nb(..., action)
    rank_hands_nb(...); settle_nb(...)

Bulk play (`bulk`) and single hands (`hand`) both walk this one machine.
"""

from razzsim.engine.betting import open_street_nb, post_antes_nb
from razzsim.engine.cards import NO_CARD
from razzsim.engine.dealing import deal_street_nb
from razzsim.engine.held import NONE_HELD
from razzsim.engine.jit import inlined, inner
from razzsim.engine.state import HAND_ENDS, HISTORY_LENGTH, MAX_SEATS, SEVENTH, STREET_ENDS, THIRD


@inlined
def forget_nb(table):
    """Clear the history of the hand before, as far as it came: nothing of it is left to be seen."""
    for row in range(table.street - THIRD + 1):
        table.n_history[row] = 0
        for i in range(HISTORY_LENGTH):
            table.history[row, i] = 0


@inner
def start_hand_nb(table, hand, stacks):
    """Set the stacks (chips by seat) and post the antes. Always STREET_ENDS: the first street comes next."""
    for seat in range(table.n_seats):
        table.stack_chips[seat] = stacks[seat]
    for seat in range(MAX_SEATS):
        hand.held[seat], hand.rank_mask[seat], hand.exposed[seat] = NONE_HELD, 0, 0
        table.n_up[seat], table.up_rank_mask[seat] = 0, 0
        for i in range(4):
            table.up[seat, i] = NO_CARD
    forget_nb(table)
    post_antes_nb(table, hand, table.n_seats)
    return STREET_ENDS


@inner
def next_street_nb(rules, game, table, hand, deck):
    """Deal the next street and open its betting: OK (hand.actor must act), STREET_ENDS or HAND_ENDS (no betting)."""
    table.street = table.street + 1 if table.street else THIRD
    deal_street_nb(rules, game, table, hand, deck)
    code = open_street_nb(rules, game, table, hand)
    return HAND_ENDS if code == STREET_ENDS and table.street == SEVENTH else code
