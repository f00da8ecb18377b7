"""Cards: the shuffled deck, one predetermined slot per (seat, street), and what is dealt on each street.

Slot = card_no * n_seats + seat; card_no 0, 1 down, 2 door, 3..5 up, 6 seventh (rule X0). The deck is filled
in slot order only as far as it is looked at, and serves every rotation of its deal.
"""

import numpy as np

from razzsim.engine import streams
from razzsim.engine.bits import lowest_bit, n_bits
from razzsim.engine.cards import N_CARDS, NO_CARD
from razzsim.engine.held import hold_card_nb
from razzsim.engine.jit import inlined, inner
from razzsim.engine.rules import WSOP_STUB
from razzsim.engine.state import BLOCKS_AHEAD, SEVENTH, THIRD

_ORDERED = np.arange(N_CARDS, dtype=np.uint8)


@inner
def start_deal_nb(deck, seed, domain, deal):
    """Make it the deck of (seed, domain, deal); nothing is drawn yet."""
    deck.seed, deck.domain, deck.deal = seed, domain, deal
    deck.n_words, deck.n_drawn = 0, 0
    for i in range(N_CARDS):
        deck.cards[i] = _ORDERED[i]


@inner
def draw_nb(deck, n_slots):
    """Fill the deck's slots up to n_slots: Fisher-Yates from the front, slot i takes i + bounded(52 - i)."""
    i, k = deck.n_drawn, deck.n_words
    while i < n_slots:
        at = k % (4 * BLOCKS_AHEAD)
        if at == 0:
            streams.fill_blocks_nb(deck.words, deck.n_ahead, deck.seed, deck.domain, streams.CARDS, deck.deal, k // 4)
        j = streams.bounded_nb(deck.words[at & 3, at >> 2], N_CARDS - i)
        k += 1
        if j >= 0:
            deck.cards[i], deck.cards[i + j] = deck.cards[i + j], deck.cards[i]
            i += 1
    deck.n_drawn, deck.n_words = i, k


@inner
def deal_street_nb(rules, game, table, hand, deck):
    """Deal table.street to the live seats."""
    n, street = table.n_seats, table.street
    if street == THIRD:
        draw_nb(deck, 3 * n)
        for seat in range(n):
            _give_card_nb(hand, seat, 0, deck.cards[seat])
            _give_card_nb(hand, seat, 1, deck.cards[n + seat])
            _give_up_card_nb(game, table, hand, seat, 2, deck.cards[2 * n + seat])
        hand.n_undealt = N_CARDS - 3 * n
    elif street < SEVENTH:
        draw_nb(deck, street * n)
        first = (street - 1) * n
        left = table.live_mask
        while left:
            seat = lowest_bit(left)
            left &= left - 1
            _give_up_card_nb(game, table, hand, seat, street - 1, deck.cards[first + seat])
        hand.n_undealt -= n_bits(table.live_mask)
    else:
        _deal_seventh_nb(rules, table, hand, deck)


@inlined
def _give_card_nb(hand, seat, card_no, card):
    hand.held[seat] = hold_card_nb(hand.held[seat], card_no, card)
    if card != NO_CARD:
        hand.rank_mask[seat] |= 1 << np.int64(card >> 2)


@inlined
def _give_up_card_nb(game, table, hand, seat, card_no, card):
    _give_card_nb(hand, seat, card_no, card)
    table.up[seat, card_no - 2] = card
    table.n_up[seat] = card_no - 1
    if card != NO_CARD:
        table.up_rank_mask[seat] |= 1 << np.int64(card >> 2)
        hand.exposed[seat] = game.exposed_step[hand.exposed[seat], card >> 2]


@inner
def _deal_seventh_nb(rules, table, hand, deck):
    n = table.n_seats
    draw_nb(deck, min(7 * n, N_CARDS))
    if needs_community_card_nb(rules, table, hand):
        table.community = deck.cards[48]
    left = table.live_mask
    while left:
        seat = lowest_bit(left)
        left &= left - 1
        own = table.community == NO_CARD
        _give_card_nb(hand, seat, 6, deck.cards[seventh_slot_nb(table, seat)] if own else table.community)


@inlined
def needs_community_card_nb(rules, table, hand):
    """Whether seventh is one card for all (X1, X2), from the count of undealt cards alone.

    Only eight seats can run out. `wsop_stub` has burned three cards by now, wants two more than live seats,
    and scrambles the burns back when that is enough; which card then comes is exchangeable, so only the
    choice matters here.
    """
    n_live = n_bits(table.live_mask)
    if rules.deck_exhaustion == WSOP_STUB:
        return hand.n_undealt < n_live + 2  # the stub and its three burns together
    return hand.n_undealt < n_live


@inner
def seventh_slot_nb(table, seat):
    """The slot of a live seat's own seventh card.

    At eight seats the pool is 48..51, then the up-card slots of seats that folded before these were dealt,
    in slot order; live seats take from it clockwise from seat 0.
    """
    n = table.n_seats
    if n < 8:
        return 6 * n + seat
    turn = n_bits(table.live_mask & ((1 << seat) - 1))
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
