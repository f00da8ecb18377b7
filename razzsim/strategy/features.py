"""Features of a view in the words Razz players use; computed when asked, inlined into the strategy.

me, table: the records of `razzsim.engine.state`. Ranks are spoken of as players do: 1 = ace .. 13 = king, the ace
always low: these are the features of ace-to-five Razz.
"""

import numpy as np
from numba import njit

from razzsim.engine.bits import lowest_bit, n_bits
from razzsim.engine.state import CALL, FOLD, RAISE, SIXTH, THIRD
from razzsim.engine.streams import mix_nb

# A seat number that a strategy made up must not read another's cards: indices are checked, as in strategies.
feature = njit(boundscheck=True)
"""Compiles a function of features, or a strategy's own (then called `helper`)."""

_TO_FLOAT = 1.0 / (1 << 53)


@feature
def may_raise(me):
    """Whether RAISE (bet, complete or raise) is legal."""
    return me.legal_mask >> RAISE & 1 == 1


@feature
def check_or_fold(me):
    """CALL where it costs nothing or folding is not allowed (the bring-in), else FOLD."""
    return CALL if me.to_call_chips == 0 or not me.legal_mask >> FOLD & 1 else FOLD


@feature
def _nth_rank(mask, n):
    """The n-th lowest rank of a mask (1 = the lowest), as 1..13; 14 when there are fewer."""
    for _ in range(n - 1):
        mask &= mask - 1
    return lowest_bit(mask) + 1 if mask else 14


@feature
def _up_to(top):
    """Mask of the ranks that are not above `top`."""
    return (1 << np.int64(top)) - 1


@feature
def _opponents(me, table):
    """Mask of the seats that have not folded, without mine."""
    return table.live_mask & ~(1 << me.seat)


@feature
def n_low(me, top):
    """Number of different ranks held that are not above `top` (8 = eight or lower)."""
    return n_bits(me.rank_mask & _up_to(top))


@feature
def made_low(me):
    """Highest rank of the seat's made low (5 for a wheel .. 13), 14 while it has no five different ranks."""
    return _nth_rank(me.rank_mask, 5)


@feature
def draw_n(me, top):
    """Number of cards still missing for a low not above `top`; 0 = made."""
    return max(0, 5 - n_low(me, top))


@feature
def draw_top(me):
    """Highest rank of the seat's best four cards (its draw), 14 while it has no four different ranks."""
    return _nth_rank(me.rank_mask, 4)


@feature
def roughness(me):
    """Second-highest rank of the seat's best five (an 8-7 is rough, an 8-5 smooth): the top of its best four."""
    return draw_top(me)


@feature
def door(table, seat):
    """Rank of a seat's door card, 1..13."""
    return (np.int64(table.up[seat, 0]) >> 2) + 1


@feature
def n_live(table):
    """Number of seats that have not folded."""
    return n_bits(table.live_mask)


@feature
def up_low(table, seat, top):
    """Number of different ranks not above `top` that a seat shows."""
    return n_bits(table.up_rank_mask[seat] & _up_to(top))


@feature
def best_up(me, table, top):
    """Most different ranks not above `top` that any live opponent shows; 0 when none is left."""
    best, low, left = 0, _up_to(top), _opponents(me, table)
    while left:
        best = max(best, n_bits(table.up_rank_mask[lowest_bit(left)] & low))
        left &= left - 1
    return best


@feature
def n_dead(me, table, top):
    """Seen cards of other seats, folded ones included, whose rank would pair nothing of mine and is not above `top`.

    These are cards of the seat's own outs that cannot come any more.
    """
    outs = ~me.rank_mask & _up_to(top)
    n = 0
    for seat in range(table.n_seats):
        if seat != me.seat:
            for i in range(table.n_up[seat]):
                n += outs >> (np.int64(table.up[seat, i]) >> 2) & 1
    return n


@feature
def n_behind(me, table):
    """Third street: live seats with chips that act after this one before the action comes back to the bring-in."""
    n = 0
    last = table.bring_in_seat if table.bring_in_seat >= 0 else table.opener
    seat = (me.seat + 1) % table.n_seats
    while seat not in (last, me.seat):
        n += table.live_mask >> seat & ~(table.all_in_mask >> seat) & 1
        seat = (seat + 1) % table.n_seats
    return n


@feature
def is_steal(me, table):
    """Third street with nothing but the bring-in, and my door card lower than any of those still to act or to pay."""
    if table.street != THIRD or table.n_bets > 0 or me.seat == table.bring_in_seat:
        return False
    mine = door(table, me.seat)
    seat = (me.seat + 1) % table.n_seats
    while seat != me.seat:
        if table.live_mask >> seat & 1 and door(table, seat) <= mine:
            return False
        if seat == table.bring_in_seat:
            break
        seat = (seat + 1) % table.n_seats
    return _callers(table) == 0


@feature
def _callers(table):
    """Seats that called the bring-in so far."""
    n = 0
    for i in range(table.n_history[0]):
        entry = np.int64(table.history[0, i])
        n += entry & 15 == 1 and entry >> 4 != table.bring_in_seat
    return n


@feature
def is_locked(me, table):
    """Sixth or seventh street: my made low already beats the best low any live opponent can still hold."""
    if table.street < SIXTH or made_low(me) == 14:
        return False
    left = _opponents(me, table)
    while left:
        if not _beats_best_case(me.rank_mask, table.up_rank_mask[lowest_bit(left)]):
            return False
        left &= left - 1
    return True


@feature
def _beats_best_case(mine, shown):
    """My five lowest ranks against the opponent's shown ranks completed by the three best hidden cards."""
    free = 0
    for rank in range(13):
        if n_bits(free) == 3:
            break
        if not shown >> rank & 1:
            free |= 1 << rank
    theirs = shown | free
    for n in range(5, 0, -1):
        a, b = _nth_rank(mine, n), _nth_rank(theirs, n)
        if a != b:
            return a < b
    return False


@feature
def uniform(me, k):
    """The k-th uniform number in [0, 1) of this decision's dice; the same in every rotation of the deal.

    The top 53 bits of number k + 1 of the SplitMix64 sequence that starts at me.dice.
    """
    z = mix_nb(me.dice, k + 1)
    return np.float64(z >> np.uint64(11)) * _TO_FLOAT
