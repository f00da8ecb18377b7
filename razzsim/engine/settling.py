"""The end of a hand: uncalled chips, pots by layer, rake, winners, odd chips (rules P5, P7, P8, D1-D3)."""

import numpy as np

from razzsim.engine import rules as r
from razzsim.engine.betting import lowest_exposed_nb, next_seat_nb, one_seat_nb, opener_nb
from razzsim.engine.bits import lowest_bit, n_bits
from razzsim.engine.cards import N_CARDS, NO_CARD
from razzsim.engine.held import held_card_nb
from razzsim.engine.jit import inner
from razzsim.engine.lows import FIVE_OF_SEVEN, five_low_nb, low_nb
from razzsim.engine.state import CHIPS_LOST, HAND_ENDS


@inner
def rank_hands_nb(game, table, hand):
    """Fill hand.low for the live seats. All seven cards of each must be known."""
    left = table.live_mask
    while left:
        seat = lowest_bit(left)
        left &= left - 1
        hand.low[seat] = low_nb(game, hand.rank_mask[seat], hand.held[seat])


@inner
def settle_nb(rules, game, table, hand):
    """Pay the pots by hand.low (smaller wins) and fill hand.net_chips. CHIPS_LOST if they do not add up."""
    hand.showdown = not one_seat_nb(table.live_mask)
    hand.rake_chips, hand.n_pots = 0, 0
    hand.uncalled_chips, hand.uncalled_seat = 0, -1
    if table.all_in_mask or not hand.showdown:  # else every live seat has put in the same
        _return_uncalled_nb(table, hand)
    if table.all_in_mask == 0 or not hand.showdown:
        _pay_nb(rules, game, table, hand, table.pot_chips, table.live_mask)
    else:
        _pay_layers_nb(rules, game, table, hand)
    total = hand.rake_chips
    for seat in range(table.n_seats):
        net = table.stack_chips[seat] - hand.start_chips[seat]
        hand.net_chips[seat] = net
        total += net
    return HAND_ENDS if total == 0 else CHIPS_LOST


@inner
def _return_uncalled_nb(table, hand):
    """P5: the top contribution comes back down to the second highest of any seat, folded included."""
    top_seat, top, second = 0, -1, -1
    for seat in range(table.n_seats):
        put = table.hand_chips[seat]
        if put > top:
            top_seat, top, second = seat, put, top
        elif put > second:
            second = put
    back = top - second
    hand.uncalled_chips = back
    hand.uncalled_seat = top_seat if back else -1
    if back:
        table.stack_chips[top_seat] += back
        table.hand_chips[top_seat] -= back
        table.street_chips[top_seat] -= back
        table.pot_chips -= back


@inner
def _pay_layers_nb(rules, game, table, hand):
    """P5: live seats' whole-hand contributions set the layer tops, folded chips fill from below."""
    floor = 0
    while True:
        top = 1 << 62
        for seat in range(table.n_seats):
            put = table.hand_chips[seat]
            if table.live_mask >> seat & 1 and floor < put < top:
                top = put
        if top == 1 << 62:
            return
        pot, in_it = 0, 0
        for seat in range(table.n_seats):
            put = table.hand_chips[seat]
            pot += max(0, min(put, top) - floor)
            if table.live_mask >> seat & 1 and put >= top:
                in_it |= 1 << seat
        _pay_nb(rules, game, table, hand, pot, in_it)
        floor = top


@inner
def _pay_nb(rules, game, table, hand, pot, in_it):
    """Rake one pot and split it among its best lows."""
    if pot == 0:
        return
    rake = 0
    if rules.rake_take and table.street >= rules.rake_from_street:
        rake = min(rules.rake_take * (pot // rules.rake_per), rules.rake_cap - hand.rake_chips)
        hand.rake_chips += rake
    pot -= rake
    winners = in_it
    if not one_seat_nb(in_it):
        best = 1 << 30
        left = in_it
        while left:
            seat = lowest_bit(left)
            left &= left - 1
            if hand.low[seat] < best:
                best, winners = hand.low[seat], 1 << seat
            elif hand.low[seat] == best:
                winners |= 1 << seat
    k = hand.n_pots
    hand.pot_chips[k], hand.pot_rake_chips[k] = pot, rake
    hand.pot_seats_mask[k], hand.pot_winners_mask[k] = in_it, winners
    hand.n_pots = k + 1
    if one_seat_nb(winners):
        table.stack_chips[lowest_bit(winners)] += pot
    else:
        _split_nb(rules, game, table, hand, pot, winners)


@inner
def _split_nb(rules, game, table, hand, pot, winners):
    """P7: equal shares, and the first winners in the odd-chip order get one chip more."""
    n_winners = n_bits(winners)
    share, odd = pot // n_winners, pot % n_winners
    left = winners
    for _ in range(n_winners):
        seat = _first_for_odd_chip_nb(rules, game, table, hand, left) if odd else lowest_bit(left)
        table.stack_chips[seat] += share
        if odd:
            table.stack_chips[seat] += 1
            odd -= 1
        left &= ~(1 << seat)


@inner
def _first_for_odd_chip_nb(rules, game, table, hand, winners):
    """Who of equal lows comes first: by suit of their highest card that differs, or of their lowest."""
    first, best = next_seat_nb(winners, table.button), np.int64(-1)
    if rules.odd_chip == r.SEAT_ORDER_ODD_CHIP:
        return first
    for seat in range(table.n_seats):
        if winners >> seat & 1:
            suits = _suits_of_low_nb(game, hand.held[seat], hand.low[seat], rules.odd_chip)
            if suits > best:
                first, best = seat, suits
    return first


@inner
def _suits_of_low_nb(game, held, low, odd_chip):
    """The suits of a low's cards as digits of base 4, the card that decides first in front; -1 for hidden cards.

    Of several ways to make the low the seat's best counts. A community card that is the best for one is the best
    for all: equal digits, so the next card decides.
    """
    best = -1
    for i in range(7):
        if held_card_nb(held, i) == NO_CARD:
            return best
    for chosen in FIVE_OF_SEVEN:
        if five_low_nb(game, held, chosen) == low:
            places = 0
            for i in range(7):
                if chosen >> i & 1:
                    places |= 1 << np.int64(game.card_order[held_card_nb(held, i)])
            best = max(best, _suit_digits_nb(places, odd_chip == r.HIGH_CARD_ODD_CHIP))
    return best


@inner
def _suit_digits_nb(places, high):
    """Suits of a mask of card places, the highest card and suit first, or the lowest."""
    digits = 0
    for k in range(N_CARDS):
        place = N_CARDS - 1 - k if high else k
        if places >> place & 1:
            digits = digits * 4 + (place & 3 if high else 3 - (place & 3))
    return digits


@inner
def show_hands_nb(rules, game, table, hand):
    """D1-D3: fill hand.show_order and table.shown; how many seats come to the showdown (0: all others folded)."""
    table.shown[:] = NO_CARD
    if not hand.showdown:
        return 0
    first = _first_to_show_nb(rules, game, table, hand)
    all_shown = table.live_mask & table.all_in_mask
    main_pot_only = hand.pot_seats_mask[0] & ~hand.pot_seats_mask[1] if hand.n_pots > 1 else 0
    waiting = table.live_mask & ~(1 << first)
    hand.show_order[0], n = first, 1
    for group in (waiting & ~main_pot_only, waiting & main_pot_only):
        left, at = group, first
        while left:
            at = next_seat_nb(left, at)
            hand.show_order[n] = at
            n += 1
            left &= ~(1 << at)
    best = 1 << 30
    for k in range(n):
        seat = hand.show_order[k]
        if all_shown or hand.low[seat] <= best:
            best = min(best, hand.low[seat])
            for card_no in range(7):
                table.shown[seat, card_no] = held_card_nb(hand.held[seat], card_no)
    return n


@inner
def _first_to_show_nb(rules, game, table, hand):
    if table.last_aggressor >= 0:
        return table.last_aggressor
    if rules.checked_showdown == r.FIRST_SEAT_SHOWS:
        return next_seat_nb(table.live_mask, table.button)
    if rules.checked_showdown == r.LOW_HAND_SHOWS:
        return lowest_exposed_nb(rules, game, table, hand)
    return opener_nb(rules, game, table, hand)
