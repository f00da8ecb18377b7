"""Betting: who acts, what is legal, what an action does. The one copy of these rules outside the tests.

Words of rule P3: the *wager* is table.street_bet_chips, the amount to match; the *level* is the last full
bet, completion or raise; a raise to less than the next level is short and only possible all-in.
"""

import numpy as np

from razzsim.engine import rules as r
from razzsim.engine.bits import lowest_bit
from razzsim.engine.cards import NO_CARD
from razzsim.engine.held import held_card_nb
from razzsim.engine.jit import inlined, inner
from razzsim.engine.state import (
    CALL,
    FIFTH,
    FOLD,
    HAND_ENDS,
    HISTORY_LENGTH,
    ILLEGAL_ACTION,
    MAX_SEATS,
    OK,
    RAISE,
    SEVENTH,
    STREET_ENDS,
    THIRD,
)


@inlined
def next_seat_nb(mask, seat):
    """The first seat of mask clockwise after seat (-1 = from seat 0 on)."""
    later = mask >> (seat + 1) << (seat + 1)
    return lowest_bit(later if later else mask)


@inlined
def one_seat_nb(mask):
    """True when mask holds at most one seat."""
    return mask & (mask - 1) == 0


@inner
def post_antes_nb(table, hand, n):
    """Start a hand: every seat posts the ante or what it has (P1). Stacks must be set."""
    table.street = 0
    table.live_mask, table.all_in_mask = (1 << n) - 1, 0
    table.community, table.bring_in_seat, table.opener = NO_CARD, -1, -1
    pot = 0
    for seat in range(n):
        ante = min(table.ante_chips, table.stack_chips[seat])
        hand.start_chips[seat] = table.stack_chips[seat]
        table.stack_chips[seat] -= ante
        table.hand_chips[seat] = ante
        if table.stack_chips[seat] == 0:
            table.all_in_mask |= 1 << seat
        pot += ante
    table.pot_chips = pot
    hand.bringing_in, hand.displaced = 0, 0


@inner
def open_street_nb(rules, game, table, hand):
    """Begin betting on the street just dealt. OK: hand.actor must act. STREET_ENDS: no betting (P6)."""
    for seat in range(MAX_SEATS):  # all of them: eight of anything are two vector stores
        table.street_chips[seat] = 0
        hand.wager_seen_chips[seat] = 0
        hand.n_decisions[seat] = 0
    with_chips = table.live_mask & ~table.all_in_mask
    table.n_bets, table.last_aggressor = 0, -1
    table.max_bets = _cap_nb(rules, hand, with_chips)
    hand.closed_mask = 0
    hand.bet_chips = table.small_bet_chips if table.street < FIFTH else table.big_bet_chips
    hand.to_act_mask = with_chips
    if table.street == THIRD:
        return _owe_bring_in_nb(game, table, hand, with_chips)
    table.street_bet_chips, hand.level_chips, hand.next_level_chips = 0, 0, hand.bet_chips
    if one_seat_nb(with_chips):
        table.opener = -1
        return STREET_ENDS
    hand.actor = table.opener = opener_nb(rules, game, table, hand)
    return OK


@inlined
def opener_nb(rules, game, table, hand):
    """B5-B7: the seat that opens, or would: the lowest exposed hand, or the next live seat with chips after it."""
    chosen = lowest_exposed_nb(rules, game, table, hand)
    with_chips = table.live_mask & ~table.all_in_mask
    return chosen if with_chips >> chosen & 1 or with_chips == 0 else next_seat_nb(with_chips, chosen)


@inlined
def _cap_nb(rules, hand, with_chips):
    """B11: the most full bets this round allows."""
    if rules.heads_up_cap == r.UNCAPPED_ROUND:
        others = with_chips & (with_chips - 1)
        if others and one_seat_nb(others):
            return r.NO_CAP
    elif rules.heads_up_cap == r.UNCAPPED_EVENT and hand.event_heads_up:
        return r.NO_CAP
    return rules.max_bets


@inner
def _owe_bring_in_nb(game, table, hand, with_chips):
    """B2, P1: who owes the bring-in. It is the wager from here on, though its owner has yet to put it in."""
    table.street_bet_chips = 0
    if one_seat_nb(with_chips):
        return STREET_ENDS
    owner, highest = 0, -1
    for seat in range(table.n_seats):
        card = table.up[seat, 0]
        if card != NO_CARD and game.card_order[card] > highest:
            owner, highest = seat, game.card_order[card]
    if not with_chips >> owner & 1:
        hand.displaced = 1
        owner = next_seat_nb(with_chips, owner)
    _give_bring_in_nb(table, hand, owner)
    small = table.small_bet_chips
    table.street_bet_chips = hand.level_chips = table.bring_in_chips
    hand.next_level_chips = small if table.bring_in_chips < small else 2 * small  # B1
    return OK


@inlined
def _give_bring_in_nb(table, hand, seat):
    hand.bringing_in = 1
    hand.actor = table.opener = table.bring_in_seat = seat


@inlined
def lowest_exposed_nb(rules, game, table, hand):
    """B5-B7, B9: the live seat whose exposed hand opens, all-in or not."""
    lowest, tied = 1 << 30, 0
    left = table.live_mask
    while left:
        seat = lowest_bit(left)
        left &= left - 1
        state = hand.exposed[seat]
        if state < lowest:
            lowest, tied = state, 1 << seat
        elif state == lowest:
            tied |= 1 << seat
    if one_seat_nb(tied):
        return lowest_bit(tied)
    if rules.tied_low_opener == r.SEAT_ORDER_OPENS:
        return next_seat_nb(tied, table.button)
    return _high_suit_nb(game, table, tied)


@inner
def _high_suit_nb(game, table, tied):
    """B6: among equal exposed ranks, the best suit of the highest-ranked card opens; no two seats share it."""
    best, highest = 0, -1
    for seat in range(table.n_seats):
        if tied >> seat & 1:
            for i in range(table.n_up[seat]):
                card = game.card_order[table.up[seat, i]]
                if card > highest:
                    best, highest = seat, card
    return best


@inlined
def give_cards_nb(hand, me, seat, n_cards):
    """Write into a view the cards of its seat."""
    me.seat, me.n_cards = seat, n_cards
    held, me.rank_mask = hand.held[seat], hand.rank_mask[seat]
    for k in range(8):
        me.cards[k] = held_card_nb(held, k)


@inlined
def give_view_nb(rules, table, hand, me):
    """Write into hand.actor's view its cards and what it may do: legal_mask, to_call_chips, raise_to_chips."""
    seat = hand.actor
    give_cards_nb(hand, me, seat, table.street)  # on third street three cards, on seventh seven
    me.decision = hand.n_decisions[seat]
    put, stack = table.street_chips[seat], table.stack_chips[seat]
    wager = table.street_bet_chips
    owed = min(wager - put, stack)
    forced = hand.bringing_in and not (hand.displaced and rules.displaced_bring_in == r.MAY_FOLD)
    if table.all_in_mask and not hand.bringing_in:
        owed = min(owed, _reach_nb(table, seat) - put)  # P2
    me.to_call_chips = owed
    legal = 1 << CALL if forced else 1 << CALL | 1 << FOLD
    others_with_chips = table.live_mask & ~table.all_in_mask & ~(1 << seat)
    may_raise = (
        ((table.n_bets < table.max_bets) | (table.max_bets == r.NO_CAP))
        & (put + stack > wager)
        & (others_with_chips != 0)
        & _may_raise_nb(hand, seat, wager)
    )
    if hand.bringing_in and table.bring_in_chips == table.small_bet_chips:
        may_raise = False  # B1: no completion
    me.raise_to_chips = min(hand.next_level_chips, put + stack) if may_raise else 0
    me.legal_mask = legal | may_raise << RAISE


@inlined
def _may_raise_nb(hand, seat, wager):
    """P3(c): not acted yet, or since then a full step was made or the wager grew by half a bet."""
    is_open = hand.closed_mask >> seat & 1 == 0
    return is_open | (2 * (wager - hand.wager_seen_chips[seat]) >= hand.bet_chips)


@inner
def _reach_nb(table, seat):
    """The most any live opponent has put in or can still put in this street (P2)."""
    reach = 0
    for other in range(table.n_seats):
        if other != seat and table.live_mask >> other & 1:
            reach = max(reach, table.street_chips[other] + table.stack_chips[other])
    return reach


@inlined
def apply_nb(rules, table, hand, me, action):
    """hand.actor acts; give_view_nb must have run. Returns OK, STREET_ENDS, HAND_ENDS or ILLEGAL_ACTION."""
    if action < FOLD or action > RAISE or not me.legal_mask >> action & 1:
        return ILLEGAL_ACTION
    seat = hand.actor
    _remember_nb(table, seat, action)
    hand.n_decisions[seat] += 1
    if action == FOLD:
        table.live_mask &= ~(1 << seat)
    elif action == CALL:
        _put_in_nb(table, seat, me.to_call_chips)
        if hand.bringing_in:
            _stand_as_wager_nb(rules, table, hand, me.to_call_chips)
    else:
        _raise_nb(rules, table, hand, seat, me.raise_to_chips)
    hand.closed_mask |= 1 << seat
    hand.to_act_mask &= ~(1 << seat) & ~table.all_in_mask
    hand.wager_seen_chips[seat] = table.street_bet_chips
    if hand.bringing_in:
        if action == FOLD:
            return _pass_bring_in_nb(table, hand)
        hand.bringing_in = 0
    return _next_actor_nb(table, hand)


@inner
def _stand_as_wager_nb(rules, table, hand, posted):
    """P2: a short bring-in stands for the whole one, or for what was posted. B1: one small bet is a full bet."""
    small = table.small_bet_chips
    if rules.short_bring_in == r.POSTED and posted < table.bring_in_chips:
        table.street_bet_chips = hand.level_chips = posted
        hand.next_level_chips = small
    if table.street_bet_chips == small:
        table.n_bets = 1


@inlined
def _remember_nb(table, seat, action):
    row = np.uint32(table.street - THIRD)  # unsigned, as all indices here: no code for places from the end
    n = np.uint32(table.n_history[row])
    if n == HISTORY_LENGTH:  # only without a cap: the last 64 are kept
        for i in range(HISTORY_LENGTH - 1):
            table.history[row, i] = table.history[row, i + 1]
        n -= 1
    table.history[row, n] = seat << 4 | action
    table.n_history[row] = n + 1


@inlined
def _put_in_nb(table, seat, chips):
    table.stack_chips[seat] -= chips
    table.street_chips[seat] += chips
    table.hand_chips[seat] += chips
    table.pot_chips += chips
    if table.stack_chips[seat] == 0:
        table.all_in_mask |= 1 << seat


@inlined
def _raise_nb(rules, table, hand, seat, to):
    """Bet, complete or raise to a street total of `to`, full or short (P3, P4)."""
    _put_in_nb(table, seat, to - table.street_chips[seat])
    is_full = to == hand.next_level_chips
    is_half = 2 * (to - hand.level_chips) >= hand.bet_chips
    table.street_bet_chips = to
    table.last_aggressor = seat
    hand.to_act_mask = table.live_mask
    if is_full:
        hand.closed_mask = 0
    if is_full or is_half or rules.short_all_in == r.FULL_ON_TOP:
        hand.level_chips = to
        hand.next_level_chips = to + hand.bet_chips
    counts = rules.short_all_in_counts_to_cap
    if is_full or counts == r.ALL_COUNTS or (counts == r.HALF_COUNTS and is_half):
        table.n_bets += 1


@inner
def _pass_bring_in_nb(table, hand):
    """P1 `may_fold`: the displaced bring-in passes on until one seat enters."""
    with_chips = table.live_mask & ~table.all_in_mask
    if one_seat_nb(table.live_mask):
        return HAND_ENDS
    if one_seat_nb(with_chips):
        hand.bringing_in = 0
        table.bring_in_seat, table.opener, table.street_bet_chips = -1, -1, 0
        return STREET_ENDS
    _give_bring_in_nb(table, hand, next_seat_nb(with_chips, hand.actor))
    return OK


@inlined
def _next_actor_nb(table, hand):
    """Who acts next, or that the street or the hand is over (P6)."""
    if one_seat_nb(table.live_mask):
        return HAND_ENDS
    hand.to_act_mask &= table.live_mask
    if hand.to_act_mask == 0:
        return HAND_ENDS if table.street == SEVENTH else STREET_ENDS
    actor = next_seat_nb(hand.to_act_mask, hand.actor)
    hand.actor = actor
    if one_seat_nb(table.live_mask & ~table.all_in_mask):
        wager, put = table.street_bet_chips, table.street_chips[actor]
        if min(wager, _reach_nb(table, actor)) <= put:
            return HAND_ENDS if table.street == SEVENTH else STREET_ENDS
    return OK


assert MAX_SEATS == 8, "seat masks are eight bits wide"
