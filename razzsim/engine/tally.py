"""Exact counters of what is done: by street, by place from the bring-in, by first three cards; the biggest pots.

They are kept on every run, for behaviour is to be exact. Play takes 1.18 times as long with them, at two seats and at
six alike (41 rounds in turn with a kernel that leaves them out).
"""

import numpy as np
from numba import from_dtype

from razzsim.engine.bits import n_bits
from razzsim.engine.cards import NO_CARD
from razzsim.engine.held import held_card_nb
from razzsim.engine.jit import inlined, inner
from razzsim.engine.state import CALL, FOLD, MAX_SEATS, RAISE, THIRD

FOLDS, CHECKS, CALLS, BRING_INS, BETS, RAISES = range(6)
"""Decisions by what they were. BETS: the first full bet of a street, a completion too."""
CHANCES, STEALS, STEALS_WON, FACED, DEFENDED = range(5)
"""Columns of `steals`."""
N_CLASSES = 13 * 91
"""Classes of first three cards: rank of the door card x ranks of the two downcards."""
N_TOP_POTS = 20
FOLDED_ON_THIRD = 5
"""Beside the five streets in `ends`."""
TALLY_DTYPE = np.dtype(
    [
        # Dense: with sizes that are powers of two, what is counted often would meet in few sets of the cache.
        ("decisions", "u4", (MAX_SEATS, MAX_SEATS, 5, 6)),  # by place of the entrant, seat, street - 3, kind
        # All of a hand's end in one count, to be added up later. By place, seat, last street - 3 or FOLDED_ON_THIRD,
        # seats from the bring-in + 1 (0 = nobody owed it), shown down + 2 * won: hands, chips.
        ("ends", "i8", (MAX_SEATS, MAX_SEATS, 6, MAX_SEATS + 1, 4, 2)),
        ("steals", "i8", (MAX_SEATS, MAX_SEATS + 1, 5)),  # by place, seats from the bring-in + 1
        ("start_hands", "i8", (MAX_SEATS, N_CLASSES, 2, 2)),  # by place, class, whether folded on third: hands, chips
        ("n_top_pots", "i8"),
        ("least_pot_chips", "i8"),  # a pot must be bigger to be among the top
        ("top_pots", "i8", (N_TOP_POTS, 3)),  # deal, rotation, chips
        # of the deal that is played
        ("class_of", "i8", (MAX_SEATS,)),  # by seat
        ("position", "i8", (MAX_SEATS,)),  # by seat
        ("low_doors_mask", "i8"),  # seats whose door card is lower than those of all who act after them on third street
        # of the hand
        ("last_street", "i8", (MAX_SEATS,)),  # by seat: in which it acted last
        ("bring_in_moved", "i8"),  # since the deal was opened
        ("entered", "i8"),  # third street: who is in beside the bring-in
        ("thief", "i8"),  # seat whose steal nobody has answered yet
    ],
    align=True,
)
TALLY = from_dtype(TALLY_DTYPE)
NOBODY, A_STEAL, OTHERS = range(3)
"""Values of `entered`."""


@inner
def count_opening_nb(game, table, hand, tally):
    """Third street was dealt: what is the same in every rotation of the deal."""
    for seat in range(table.n_seats):
        tally.class_of[seat] = _start_class_nb(hand.held[seat])
    place_bring_in_nb(game, table, tally)


@inlined
def count_start_nb(game, table, tally):
    """A hand begins."""
    tally.entered = NOBODY
    if tally.bring_in_moved:  # in the rotation before
        place_bring_in_nb(game, table, tally)
        tally.bring_in_moved = 0


@inner
def place_bring_in_nb(game, table, tally):
    """Positions from the seat that owes the bring-in, and the low doors between them.

    Without branches: seats and cards are as good as random, and a wrong guess of the processor costs 5 ns.
    """
    n, owner = table.n_seats, table.bring_in_seat
    lowest, low_doors = 1 << 30, 0
    is_owed = owner >= 0
    for k in range(n):  # the bring-in acts last, and its door is the first to be looked at
        seat = owner - k
        seat = np.uint32(seat + (n & seat >> 63))
        tally.position[seat] = is_owed * (1 + (n - k if k else 0))
        rank = np.int64(game.card_order[table.up[seat, 0]]) >> 2
        rank |= (~table.live_mask >> seat & 1) << 20
        low_doors |= (rank < lowest) << np.int64(seat)
        lowest = min(lowest, rank)
    tally.low_doors_mask = low_doors


@inlined
def count_decision_nb(game, table, tally, place, me, action, was_bringing_in, n_bets):
    """Count a decision that was legal and has been played; was_bringing_in, n_bets: as they stood before it."""
    seat, street = np.uint32(me.seat), table.street
    tally.last_street[seat] = street
    is_call, is_raise = action == CALL, action == RAISE
    kind = is_call * (CHECKS + (me.to_call_chips != 0) + was_bringing_in) + is_raise * (BETS + (n_bets != 0))
    tally.decisions[place, seat, np.uint32(street - THIRD), np.uint32(kind)] += np.uint32(1)
    if street == THIRD and tally.entered != OTHERS:
        _count_entry_nb(game, table, tally, place, seat, action, was_bringing_in, n_bets)


@inner
def _count_entry_nb(game, table, tally, place, seat, action, was_bringing_in, n_bets):
    """Third street until a second seat is in: chances to steal, steals, and answers to them."""
    if was_bringing_in:
        if action == RAISE:
            tally.entered = OTHERS
        elif action == FOLD:  # it passes to the next (P1)
            place_bring_in_nb(game, table, tally)
            tally.bring_in_moved = 1
        return
    at, stays = np.uint32(tally.position[seat]), action != FOLD
    is_faced = tally.entered == A_STEAL
    # A bring-in of one small bet leaves nothing to steal.
    is_chance = (tally.entered == NOBODY) & (n_bets == 0) & (tally.low_doors_mask >> seat & 1)
    steals = is_chance & (action == RAISE)
    tally.steals[place, at, CHANCES] += is_chance
    tally.steals[place, at, STEALS] += steals
    tally.steals[place, at, FACED] += is_faced
    tally.steals[place, at, DEFENDED] += is_faced & stays
    tally.thief = seat if steals else tally.thief
    tally.entered = A_STEAL if steals else OTHERS if stays else tally.entered


@inlined
def count_hand_nb(table, hand, tally, work):
    """Count a hand that was settled."""
    winners = winners_nb(hand)
    for seat in range(table.n_seats):
        place = work.entrant_of[work.holder[seat]]
        _count_seat_nb(table, hand, tally, place, np.uint32(seat), winners >> seat & 1)
    if tally.entered == A_STEAL and n_bits(table.live_mask) == 1 and table.street == THIRD:
        place = work.entrant_of[work.holder[tally.thief]]
        tally.steals[place, tally.position[tally.thief], STEALS_WON] += 1
    if table.pot_chips > tally.least_pot_chips:
        _keep_pot_nb(tally, work.deal, work.rotation, table.pot_chips)


@inlined
def winners_nb(hand):
    """Mask of the seats that won a pot or a part of one."""
    winners = 0  # without antes there may be no pot
    for k in range(hand.n_pots):
        winners |= hand.pot_winners_mask[k]
    return winners


@inlined
def _count_seat_nb(table, hand, tally, place, seat, won):
    net = hand.net_chips[seat]
    is_live = table.live_mask >> seat & 1
    street = table.street if is_live else tally.last_street[seat]
    start, folded = np.uint32(tally.class_of[seat]), np.uint32((street == THIRD) & (is_live ^ 1))
    row, at = np.uint32(FOLDED_ON_THIRD if folded else street - THIRD), np.uint32(tally.position[seat])
    how = np.uint32((is_live & hand.showdown) + 2 * won)
    tally.ends[place, seat, row, at, how, 0] += 1
    tally.ends[place, seat, row, at, how, 1] += net
    tally.start_hands[place, start, folded, 0] += 1
    tally.start_hands[place, start, folded, 1] += net


@inlined
def _start_class_nb(held):
    """Class of the first three cards of a packed hand: see records, start_hands."""
    a, b = held_card_nb(held, 0) >> 2, held_card_nb(held, 1) >> 2
    low, high = min(a, b), max(a, b)
    return (held_card_nb(held, 2) >> 2) * 91 + (high * (high + 1) >> 1) + low


@inner
def _keep_pot_nb(tally, deal, rotation, pot):
    """Enter a pot; when all places are taken the smallest goes, of equal ones the latest."""
    slot = tally.n_top_pots
    if slot < N_TOP_POTS:
        tally.n_top_pots += 1
    else:
        slot = 0
        for k in range(1, N_TOP_POTS):
            if not _comes_before_nb(tally, k, slot):
                slot = k
    tally.top_pots[slot, 0], tally.top_pots[slot, 1], tally.top_pots[slot, 2] = deal, rotation, pot
    if tally.n_top_pots == N_TOP_POTS:
        tally.least_pot_chips = tally.top_pots[0, 2]
        for k in range(1, N_TOP_POTS):
            tally.least_pot_chips = min(tally.least_pot_chips, tally.top_pots[k, 2])


@inner
def _comes_before_nb(tally, a, b):
    """Whether pot a comes before pot b: bigger, or dealt earlier."""
    if tally.top_pots[a, 2] != tally.top_pots[b, 2]:
        return tally.top_pots[a, 2] > tally.top_pots[b, 2]
    if tally.top_pots[a, 0] != tally.top_pots[b, 0]:
        return tally.top_pots[a, 0] < tally.top_pots[b, 0]
    return tally.top_pots[a, 1] < tally.top_pots[b, 1]


assert NO_CARD == 255, "an undealt door card would have a class beyond the last"
