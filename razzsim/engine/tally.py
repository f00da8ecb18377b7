"""Exact counters of what is done: by street, by place from the bring-in, by first three cards; the biggest pots.

They are kept on every run: six-handed play takes 1.0x times as long with them.
"""

import numpy as np
from numba import from_dtype

from razzsim.engine.bits import n_bits
from razzsim.engine.cards import NO_CARD
from razzsim.engine.held import held_card_nb
from razzsim.engine.jit import inlined, inner
from razzsim.engine.state import CALL, FOLD, MAX_SEATS, RAISE, THIRD

FOLDS, CHECKS, CALLS, BRING_INS, BETS, RAISES = range(6)
"""Columns of `behaviour`: decisions by what they were. BETS: the first full bet of a street, a completion too."""
ENDED, SHOWN, WON, SHOWN_WON, NET = range(6, 11)
"""Columns of `behaviour`: hands whose last street for the seat this was; of them shown down, won, both; their chips."""
HANDS, PLAYED, NET_THERE, CHANCES, STEALS, STEALS_WON, FACED, DEFENDED = range(8)
"""Columns of `positions`."""
N_CLASSES = 13 * 91
"""Classes of first three cards: rank of the door card x ranks of the two downcards."""
N_TOP_POTS = 20

TALLY_DTYPE = np.dtype(
    [
        ("behaviour", "i8", (MAX_SEATS, MAX_SEATS, 5, 11)),  # by place of the entrant, seat, street
        ("positions", "i8", (MAX_SEATS, MAX_SEATS + 1, 8)),  # by place, seats from the bring-in + 1; 0 = nobody owed it
        ("start_hands", "i8", (MAX_SEATS, N_CLASSES, 3)),  # by place, class: hands, played, chips
        ("n_top_pots", "i8"),
        ("least_pot_chips", "i8"),  # a pot must be bigger to be among the top
        ("top_pots", "i8", (N_TOP_POTS, 3)),  # deal, rotation, chips
        # of the hand that is played
        ("folded_on", "i8", (MAX_SEATS,)),  # street by seat
        ("entered", "i8"),  # third street: who is in beside the bring-in
        ("thief", "i8"),  # seat whose steal nobody has answered yet
    ],
    align=True,
)
TALLY = from_dtype(TALLY_DTYPE)
NOBODY, A_STEAL, OTHERS = range(3)
"""Values of `entered`."""


@inlined
def count_decision_nb(game, table, tally, place, me, action, was_bringing_in, n_bets):
    """Count a decision that was legal and has been played; was_bringing_in, n_bets: as they stood before it."""
    seat, street = me.seat, table.street
    if action == FOLD:
        tally.folded_on[seat] = street
        kind = FOLDS
    elif action == CALL:
        kind = BRING_INS if was_bringing_in else CALLS if me.to_call_chips else CHECKS
    else:
        kind = RAISES if n_bets else BETS
    tally.behaviour[place, seat, street - THIRD, kind] += 1
    if street == THIRD and tally.entered != OTHERS:
        _count_entry_nb(game, table, tally, place, seat, action, was_bringing_in, n_bets)


@inner
def _count_entry_nb(game, table, tally, place, seat, action, was_bringing_in, n_bets):
    """Third street until a second seat is in: chances to steal, steals, and answers to them."""
    if was_bringing_in or n_bets > (tally.entered == A_STEAL):  # a bring-in of one small bet leaves nothing to steal
        if action == RAISE or not was_bringing_in:
            tally.entered = OTHERS
        return
    at = position_nb(table, seat)
    if tally.entered == A_STEAL:
        tally.positions[place, at, FACED] += 1
        tally.positions[place, at, DEFENDED] += action != FOLD
    elif is_lowest_door_nb(game, table, seat):
        tally.positions[place, at, CHANCES] += 1
        if action == RAISE:
            tally.positions[place, at, STEALS] += 1
            tally.entered, tally.thief = A_STEAL, seat
            return
    if action != FOLD:
        tally.entered = OTHERS


@inlined
def position_nb(table, seat):
    """Seats from the one that owed the bring-in, + 1; 0 when nobody owed it."""
    owner = table.bring_in_seat
    if owner < 0:
        return 0
    return 1 + (seat - owner if seat >= owner else seat - owner + table.n_seats)


@inner
def is_lowest_door_nb(game, table, seat):
    """Whether the seat's door card is lower than that of any live seat still to act, the bring-in included."""
    mine = game.card_order[table.up[seat, 0]] >> 2
    other = seat
    for _ in range(table.n_seats - 1):
        other = other + 1 if other + 1 < table.n_seats else 0
        if table.live_mask >> other & 1 and game.card_order[table.up[other, 0]] >> 2 <= mine:
            return False
        if other == table.bring_in_seat:
            break
    return True


@inlined
def count_hand_nb(table, hand, tally, work):
    """Count a hand that was settled."""
    winners = winners_nb(hand)
    for seat in range(table.n_seats):
        place = work.entrant_of[work.holder[seat]]
        is_live = table.live_mask >> seat & 1
        street = table.street if is_live else tally.folded_on[seat]
        _count_seat_nb(table, hand, tally, place, seat, street, is_live & hand.showdown, winners >> seat & 1)
    if tally.entered == A_STEAL and n_bits(table.live_mask) == 1 and table.street == THIRD:
        place = work.entrant_of[work.holder[tally.thief]]
        tally.positions[place, position_nb(table, tally.thief), STEALS_WON] += 1
    if table.pot_chips > tally.least_pot_chips:
        _keep_pot_nb(tally, work.deal, work.rotation, table.pot_chips)


@inlined
def winners_nb(hand):
    """Mask of the seats that won a pot or a part of one."""
    winners = 0
    for k in range(hand.n_pots):
        winners |= hand.pot_winners_mask[k]
    return winners


@inlined
def _count_seat_nb(table, hand, tally, place, seat, street, shown, won):
    net = hand.net_chips[seat]
    row = street - THIRD
    tally.behaviour[place, seat, row, ENDED] += 1
    tally.behaviour[place, seat, row, SHOWN] += shown
    tally.behaviour[place, seat, row, WON] += won
    tally.behaviour[place, seat, row, SHOWN_WON] += shown & won
    tally.behaviour[place, seat, row, NET] += net
    played = street > THIRD or table.live_mask >> seat & 1
    at = position_nb(table, seat)
    tally.positions[place, at, HANDS] += 1
    tally.positions[place, at, PLAYED] += played
    tally.positions[place, at, NET_THERE] += net
    at = start_class_nb(hand.held[seat])
    tally.start_hands[place, at, 0] += 1
    tally.start_hands[place, at, 1] += played
    tally.start_hands[place, at, 2] += net


@inlined
def start_class_nb(held):
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
