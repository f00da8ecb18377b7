"""Rows of single deal groups, hands and decisions, written by the kernel into buffers when they are recorded."""

import numpy as np
from numba import from_dtype

from razzsim.engine.cards import NO_CARD
from razzsim.engine.held import held_card_nb
from razzsim.engine.jit import inlined, inner
from razzsim.engine.state import CALL, FOLD, MAX_SEATS
from razzsim.engine.streams import mix_nb
from razzsim.engine.tally import winners_nb

SUMS, GROUPS, HANDS, ACTIONS = range(4)
"""Recording levels; each records what those before it do."""
NO_CARD_6 = 63
"""No card, in six bits."""

BUFFER_ROWS = {GROUPS: 1 << 16, HANDS: 1 << 16, ACTIONS: 1 << 18}
"""Rows of each level's buffer; a full one is emptied between two deals."""
MOST_ACTIONS = 1 << 16
"""Decisions of one deal that can be recorded, so that `n` keeps to two bytes. Capped play takes at most 8 rotations
x 5 streets x 40."""


def _columns(level: int, **types: str | tuple[str, int]) -> np.dtype:
    """A buffer as one record with an array a column, so that Arrow takes the columns as they are."""
    n = BUFFER_ROWS[level]
    fields = [
        (name, kind, (n,)) if isinstance(kind, str) else (name, kind[0], (kind[1], n)) for name, kind in types.items()
    ]
    return np.dtype(fields, align=True)


GROUP_ROWS_DTYPE = _columns(GROUPS, deal="i8", net_chips=("i4", MAX_SEATS))  # by place
HAND_ROWS_DTYPE = _columns(
    HANDS,
    deal="i8",
    cards=("u8", MAX_SEATS),  # by seat, six bits a card, first dealt lowest
    pot_chips="i4",
    rake_chips="i4",
    put_chips=("i4", MAX_SEATS),
    net_chips=("i4", MAX_SEATS),
    copies="u4",  # four bits a seat
    rotation="u1",
    street="u1",
    bring_in_seat="i1",
    showdown_mask="u1",
    winner_mask="u1",
)
ACTION_ROWS_DTYPE = _columns(
    ACTIONS,
    deal="i8",
    amount_chips="i4",
    to_chips="i4",
    pot_chips="i4",
    n_bets="u4",  # without a cap, as many as the stacks allow
    n="u2",
    rotation="u1",
    street="u1",
    seat="u1",
    copy="u1",
    action="u1",
    live_mask="u1",
)
_N_GROUPS, _N_HANDS, _N_ACTIONS = (BUFFER_ROWS[level] for level in (GROUPS, HANDS, ACTIONS))
GROUP_ROWS, HAND_ROWS, ACTION_ROWS = map(from_dtype, (GROUP_ROWS_DTYPE, HAND_ROWS_DTYPE, ACTION_ROWS_DTYPE))


@inlined
def is_sampled_nb(seed, deal, first, width):
    """Whether a deal's number in 0 .. 2^64 - 1 is one of first .. first + width: alike in all line-ups."""
    return mix_nb(np.uint64(seed), deal + 1) - first <= width


@inlined
def have_room_nb(work):
    """Whether the rows of one more deal find room."""
    return (
        work.n_group_rows < _N_GROUPS
        and work.n_hand_rows + work.n_rotations <= _N_HANDS
        and work.n_action_rows + MOST_ACTIONS <= _N_ACTIONS
    )


@inner
def add_group_row_nb(work, rows):
    """The chips of every entrant of a group."""
    i = work.n_group_rows
    rows.deal[i] = work.deal
    for place in range(work.n_entrants):
        rows.net_chips[place, i] = work.group_net_chips[place]
    work.n_group_rows += 1


@inner
def add_hand_row_nb(table, hand, work, rows):
    """A hand that was settled."""
    i = work.n_hand_rows
    rows.deal[i], rows.rotation[i], rows.street[i] = work.deal, work.rotation, table.street
    rows.bring_in_seat[i], rows.rake_chips[i] = table.bring_in_seat, hand.rake_chips
    rows.showdown_mask[i] = table.live_mask if hand.showdown else 0
    rows.winner_mask[i], rows.pot_chips[i] = winners_nb(hand), table.pot_chips
    copies = 0
    for seat in range(table.n_seats):
        copies |= np.int64(work.order[work.rotation + seat]) << 4 * seat
        rows.put_chips[seat, i] = table.hand_chips[seat]
        rows.net_chips[seat, i] = hand.net_chips[seat]
        rows.cards[seat, i] = _six_bits_nb(hand.held[seat])
    rows.copies[i] = copies
    work.n_hand_rows += 1


@inner
def _six_bits_nb(held):
    packed = np.uint64(0)
    for k in range(7):
        card = held_card_nb(held, k)
        packed |= np.uint64(NO_CARD_6 if card == NO_CARD else card) << np.uint64(6 * k)
    return packed


@inner
def add_action_row_nb(table, me, work, rows, copy, action, n):
    """A decision, before it is played; False when the deal has too many, however full the buffer is."""
    i, seat = work.n_action_rows, me.seat
    if i - work.n_rows_before == MOST_ACTIONS:
        return False
    put = table.street_chips[seat]
    amount = 0 if action == FOLD else me.to_call_chips if action == CALL else me.raise_to_chips - put
    rows.deal[i], rows.rotation[i], rows.n[i], rows.street[i] = work.deal, work.rotation, n, table.street
    rows.seat[i], rows.copy[i], rows.action[i] = seat, copy, action
    rows.amount_chips[i], rows.to_chips[i], rows.pot_chips[i] = amount, put + amount, table.pot_chips
    rows.n_bets[i], rows.live_mask[i] = table.n_bets, table.live_mask
    work.n_action_rows += 1
    return True
