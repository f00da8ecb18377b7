"""Exact counters of what is done: by street, by place from the bring-in, by first three cards; the biggest pots.

They are kept on every run, for behaviour is to be exact. With counting left out play took 0.74 (heads-up) to 0.85
times as long (six-handed; 61 rounds in turn, a noisy machine).
"""

import numpy as np
from numba import from_dtype

from razzsim.engine.betting import one_seat_nb
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
N_ENDS = 6 * 4
"""Ways in which a hand ends for a seat: last street - 3 or FOLDED_ON_THIRD, times 4, + shown down + 2 * won."""
PLAYED = 32
"""Where a number of hands that were not folded on third street begins, in one word with the number of all hands."""
# Dense: with sizes that are powers of two, what is counted often would meet in few sets of the cache.
PLACE_DTYPE = np.dtype(
    [
        ("decisions", "u4", (MAX_SEATS, 5, 6)),  # by seat, street - 3, kind
        ("ends", "i8", (MAX_SEATS, N_ENDS, 2)),  # by seat, end: hands, chips
        ("positions", "i8", (MAX_SEATS + 1, 2)),  # by position: hands + played << PLAYED, chips
        ("steals", "i8", (MAX_SEATS + 1, 5)),  # by position
        ("start_hands", "i8", (N_CLASSES, 2)),  # by class: hands + played << PLAYED, chips
    ],
    align=True,
)
TALLY_DTYPE = np.dtype(
    [
        ("places", PLACE_DTYPE, (MAX_SEATS,)),  # by place of the entrant in the line-up
        ("n_top_pots", "i8"),
        ("least_pot_chips", "i8"),  # a pot must be bigger to be among the top
        ("top_pots", "i8", (N_TOP_POTS, 3)),  # deal, rotation, chips
        # of the deal that is played
        ("class_of", "i8", (MAX_SEATS,)),  # by seat
        ("position", "i8", (MAX_SEATS,)),  # by seat: seats from the bring-in + 1, 0 = nobody owed it
        ("low_doors_mask", "i8"),  # seats whose door card is lower than those of all who act after them on third street
        # of the hand
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
    seat = np.uint32(me.seat)
    is_call, is_raise = action == CALL, action == RAISE
    kind = is_call * (CHECKS + (me.to_call_chips != 0) + was_bringing_in) + is_raise * (BETS + (n_bets != 0))
    tally.places[place].decisions[seat, np.uint32(table.street - THIRD), np.uint32(kind)] += np.uint32(1)
    if tally.entered != OTHERS:  # so on third street: two who can bet on another have entered
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
    counts = tally.places[place]
    counts.steals[at, CHANCES] += is_chance
    counts.steals[at, STEALS] += steals
    counts.steals[at, FACED] += is_faced
    counts.steals[at, DEFENDED] += is_faced & stays
    tally.thief = seat if steals else tally.thief
    tally.entered = A_STEAL if steals else OTHERS if stays else tally.entered


@inlined
def count_hand_nb(table, hand, tally, work):
    """Count a hand that was settled."""
    winners, shown = winners_nb(hand), table.live_mask if hand.showdown else 0
    for seat in range(np.uint32(table.n_seats)):
        place = work.entrant_of[work.order[np.uint32(work.rotation + seat)]]
        how = (shown >> seat & 1) + 2 * (winners >> seat & 1)
        _count_seat_nb(table, hand, tally, tally.places[place], seat, how)
        work.group_net_chips[place] += hand.net_chips[seat]
    if tally.entered == A_STEAL and one_seat_nb(table.live_mask) and table.street == THIRD:
        place = work.entrant_of[work.order[work.rotation + tally.thief]]
        tally.places[place].steals[tally.position[tally.thief], STEALS_WON] += 1
    if table.pot_chips > tally.least_pot_chips:
        _keep_pot_nb(tally, work.deal, work.rotation, table.pot_chips)


@inlined
def _count_seat_nb(table, hand, tally, counts, seat, how):
    """how: shown down + 2 * won."""
    net, n_up = hand.net_chips[seat], np.int64(table.n_up[seat])
    is_folded = (n_up == 1) & (table.live_mask >> seat & 1 == 0)  # on third street
    row = FOLDED_ON_THIRD if is_folded else n_up - 1 + (held_card_nb(hand.held[seat], 6) != NO_CARD)
    hands = (1 << PLAYED | 1) - (is_folded << PLAYED)
    end, at, start = np.uint32(4 * row + how), np.uint32(tally.position[seat]), np.uint32(tally.class_of[seat])
    counts.ends[seat, end, 0] += 1
    counts.ends[seat, end, 1] += net
    counts.positions[at, 0] += hands
    counts.positions[at, 1] += net
    counts.start_hands[start, 0] += hands
    counts.start_hands[start, 1] += net


@inlined
def winners_nb(hand):
    """Mask of the seats that won a pot or a part of one."""
    winners = 0  # without antes there may be no pot
    for k in range(hand.n_pots):
        winners |= hand.pot_winners_mask[k]
    return winners


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
