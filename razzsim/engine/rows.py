"""Rows of single deal groups, hands and decisions, written by the kernel into buffers when they are recorded."""

import numpy as np
from numba import from_dtype

from razzsim.engine.cards import NO_CARD
from razzsim.engine.held import held_card_nb
from razzsim.engine.jit import inlined, inner
from razzsim.engine.state import MAX_SEATS
from razzsim.engine.streams import mix_nb
from razzsim.engine.tally import winners_nb

SUMS, GROUPS, HANDS, ACTIONS = range(4)
"""Recording levels; each records what those before it do."""
NO_CARD_6 = 63
"""No card, in six bits."""

GROUP_ROW_DTYPE = np.dtype([("deal", "i8"), ("net_chips", "i4", (MAX_SEATS,))], align=True)  # by place
HAND_ROW_DTYPE = np.dtype(
    [
        ("deal", "i8"),
        ("cards", "u8", (MAX_SEATS,)),  # by seat, six bits a card, first dealt lowest
        ("pot_chips", "i4"),
        ("rake_chips", "i4"),
        ("put_chips", "i4", (MAX_SEATS,)),
        ("net_chips", "i4", (MAX_SEATS,)),
        ("copies", "u4"),  # four bits a seat
        ("rotation", "u1"),
        ("street", "u1"),
        ("bring_in_seat", "i1"),
        ("showdown_mask", "u1"),
        ("winner_mask", "u1"),
    ],
    align=True,
)
ACTION_ROW_DTYPE = np.dtype(
    [
        ("deal", "i8"),
        ("amount_chips", "i4"),
        ("to_chips", "i4"),
        ("pot_chips", "i4"),
        ("n", "u2"),
        ("rotation", "u1"),
        ("street", "u1"),
        ("seat", "u1"),
        ("copy", "u1"),
        ("action", "u1"),
        ("n_bets", "u1"),
        ("live_mask", "u1"),
    ],
    align=True,
)
GROUP_ROW, HAND_ROW, ACTION_ROW = map(from_dtype, (GROUP_ROW_DTYPE, HAND_ROW_DTYPE, ACTION_ROW_DTYPE))

BUFFER_ROWS = {GROUPS: 1 << 16, HANDS: 1 << 16, ACTIONS: 1 << 18}
"""Rows of each level's buffer; a full one is emptied between two deals."""
MOST_ACTIONS = 1 << 16
"""Decisions of one deal that are sure to find room. Capped play takes at most 8 rotations x 5 streets x 40."""


@inlined
def is_sampled_nb(seed, deal, below):
    """Whether a deal is in the sample: the same deals in every line-up, whatever is played."""
    return mix_nb(np.uint64(seed), deal + 1) <= below


@inlined
def have_room_nb(work, groups, hands, actions):
    """Whether the rows of one more deal find room."""
    return (
        (work.level < GROUPS or work.n_group_rows < len(groups))
        and (work.level < HANDS or work.n_hand_rows + work.n_rotations <= len(hands))
        and (work.level < ACTIONS or work.n_action_rows + MOST_ACTIONS <= len(actions))
    )


@inner
def add_group_row_nb(work, groups):
    """The chips of every entrant of a group."""
    row = groups[work.n_group_rows]
    row.deal = work.deal
    for place in range(work.n_entrants):
        row.net_chips[place] = work.group_net_chips[place]
    work.n_group_rows += 1


@inner
def add_hand_row_nb(table, hand, work, hands):
    """A hand that was settled."""
    row = hands[work.n_hand_rows]
    row.deal, row.rotation, row.street = work.deal, work.rotation, table.street
    row.bring_in_seat, row.rake_chips = table.bring_in_seat, hand.rake_chips
    row.showdown_mask = table.live_mask if hand.showdown else 0
    row.winner_mask, row.pot_chips = winners_nb(hand), table.pot_chips
    copies = 0
    for seat in range(table.n_seats):
        copies |= np.int64(work.holder[seat]) << 4 * seat
        row.put_chips[seat] = table.hand_chips[seat]
        row.net_chips[seat] = hand.net_chips[seat]
        row.cards[seat] = _six_bits_nb(hand.held[seat])
    row.copies = copies
    work.n_hand_rows += 1


@inner
def _six_bits_nb(held):
    packed = np.uint64(0)
    for k in range(7):
        card = held_card_nb(held, k)
        packed |= np.uint64(NO_CARD_6 if card == NO_CARD else card) << np.uint64(6 * k)
    return packed


@inner
def add_action_row_nb(table, me, work, actions, copy, action, n):
    """A decision, before it is played; False when there is no room."""
    if work.n_action_rows == len(actions):
        return False
    row, seat = actions[work.n_action_rows], me.seat
    put = table.street_chips[seat]
    row.deal, row.rotation, row.n, row.street = work.deal, work.rotation, n, table.street
    row.seat, row.copy, row.action = seat, copy, action
    row.amount_chips = 0 if action == 0 else me.to_call_chips if action == 1 else me.raise_to_chips - put
    row.to_chips, row.pot_chips = put + row.amount_chips, table.pot_chips
    row.n_bets, row.live_mask = table.n_bets, table.live_mask
    work.n_action_rows += 1
    return True
