"""Cards: the shuffled deck, one predetermined slot per (seat, street), and what is dealt on each street.

Slot = card_no * n_seats + seat; card_no 0, 1 down, 2 door, 3..5 up, 6 seventh (rule X0). The deck is filled
in slot order only as far as it is looked at, and serves every rotation of its deal.
"""

import numpy as np
from numba import njit

from razzsim.engine import streams
from razzsim.engine.cards import N_CARDS, NO_CARD
from razzsim.engine.rules import WSOP_STUB
from razzsim.engine.state import N_SEATS_IN, SEVENTH, THIRD

_ORDERED = np.arange(N_CARDS, dtype=np.uint8)


@njit
def start_deal_nb(hand, seed, domain, deal):
    """Point the hand at the deck of (seed, domain, deal); nothing is drawn yet."""
    hand.seed, hand.domain, hand.deal = seed, domain, deal
    hand.block, hand.word_at, hand.n_drawn = 0, 4, 0
    for i in range(N_CARDS):
        hand.deck[i] = _ORDERED[i]


@njit
def draw_nb(hand, n_slots):
    """Fill the deck's slots up to n_slots: Fisher-Yates from the front, slot i takes i + bounded(52 - i)."""
    i = hand.n_drawn
    while i < n_slots:
        if hand.word_at == 4:
            words = streams.block_nb(hand.seed, hand.domain, streams.CARDS, 0, hand.deal, hand.block)
            hand.words[0], hand.words[1], hand.words[2], hand.words[3] = words
            hand.block += 1
            hand.word_at = 0
        j = streams.bounded_nb(hand.words[hand.word_at], N_CARDS - i)
        hand.word_at += 1
        if j >= 0:
            card = hand.deck[i]
            hand.deck[i] = hand.deck[i + j]
            hand.deck[i + j] = card
            i += 1
    hand.n_drawn = max(hand.n_drawn, n_slots)


@njit
def deal_street_nb(rules, game, table, hand, mes):
    """Deal table.street to the live seats."""
    n, street = table.n_seats, table.street
    if street == THIRD:
        draw_nb(hand, 3 * n)
        for seat in range(n):
            me = mes[hand.holder[seat]]
            me.cards[0], me.cards[1] = hand.deck[seat], hand.deck[n + seat]
            me.n_cards = 2
            _give_up_card_nb(game, table, hand, me, seat, hand.deck[2 * n + seat])
        hand.n_undealt = N_CARDS - 3 * n
    elif street < SEVENTH:
        draw_nb(hand, street * n)
        for seat in range(n):
            if table.live_mask >> seat & 1:
                card = hand.deck[(street - 1) * n + seat]
                _give_up_card_nb(game, table, hand, mes[hand.holder[seat]], seat, card)
        hand.n_undealt -= N_SEATS_IN[table.live_mask]
    else:
        _deal_seventh_nb(rules, table, hand, mes)


@njit
def _give_up_card_nb(game, table, hand, me, seat, card):
    me.cards[me.n_cards] = card
    me.n_cards += 1
    table.up[seat, table.n_up[seat]] = card
    table.n_up[seat] += 1
    if card != NO_CARD:
        hand.exposed[seat] = game.exposed_step[hand.exposed[seat], card >> 2]


@njit
def _deal_seventh_nb(rules, table, hand, mes):
    n = table.n_seats
    draw_nb(hand, min(7 * n, N_CARDS))
    if needs_community_card_nb(rules, table, hand):
        table.community = hand.deck[48]
    for seat in range(n):
        if table.live_mask >> seat & 1:
            me = mes[hand.holder[seat]]
            me.cards[6] = hand.deck[seventh_slot_nb(table, seat)] if table.community == NO_CARD else table.community
            me.n_cards = 7


@njit
def needs_community_card_nb(rules, table, hand):
    """Whether seventh is one card for all (X1, X2), from the count of undealt cards alone.

    Only eight seats can run out. `wsop_stub` has burned three cards by now, wants two more than live seats,
    and scrambles the burns back when that is enough; which card then comes is exchangeable, so only the
    choice matters here.
    """
    n_live = N_SEATS_IN[table.live_mask]
    if rules.deck_exhaustion == WSOP_STUB:
        return hand.n_undealt < n_live + 2  # the stub and its three burns together
    return hand.n_undealt < n_live


@njit
def seventh_slot_nb(table, seat):
    """The slot of a live seat's own seventh card.

    At eight seats the pool is 48..51, then the up-card slots of seats that folded before these were dealt,
    in slot order; live seats take from it clockwise from seat 0.
    """
    n = table.n_seats
    if n < 8:
        return 6 * n + seat
    turn = N_SEATS_IN[table.live_mask & ((1 << seat) - 1)]
    if turn < 4:
        return 48 + turn
    turn -= 4
    for card_no in range(3, 6):
        for folded in range(n):
            if table.n_up[folded] <= card_no - 2:
                if turn == 0:
                    return 8 * card_no + folded
                turn -= 1
    return -1
