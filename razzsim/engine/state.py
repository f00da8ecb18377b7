"""What a hand is made of while it is played: records.

TABLE is public and is what a strategy sees beside its own ME. The engine plays on the very TABLE, so this half of a
view costs no copying; ME is filled when its seat gets to act, which is eight stores. HAND is the engine's own: the
cards of all seats, and what betting must remember. DECK is the cards to come.

Shapes of the view that were measured, as times that play takes over play with this one (six-handed; heads-up):
- without the masks of ranks, so that features loop over cards: 1.35; 1.10
- all fields eight bytes wide: 1.01; 1.08. Narrow scalars too: 0.99; 0.95, but then `table.opener in (me.seat, 3)`
  does not compile for want of one type, so only arrays are narrow
- ME padded to whole cache lines: 1.00; 1.05
One record as an argument costs 4.4 ns a strategy call; an array slice costs 24 ns.
"""

import numpy as np
from numba import from_dtype

from razzsim.engine.cards import N_CARDS, NO_CARD
from razzsim.engine.exposed import N_STEP_STATES
from razzsim.engine.jit_cache import use_own_cache_folder
from razzsim.engine.rules import CHOICES, RAKE_FIELDS

use_own_cache_folder()  # here, because every module of kernels that are kept on disk imports this one

MAX_SEATS = 8
THIRD, FOURTH, FIFTH, SIXTH, SEVENTH = 3, 4, 5, 6, 7
FOLD, CALL, RAISE = 0, 1, 2
"""CALL also checks and posts the bring-in; RAISE bets, completes or raises to the one amount allowed."""
OK, STREET_ENDS, HAND_ENDS, ROWS_FULL = 0, 1, 2, 3
ILLEGAL_ACTION, BAD_INDEX, CHIPS_LOST, STRATEGY_RAISED, ROWS_LOST = -1, -2, -3, -4, -5
HISTORY_LENGTH = 64
BLOCKS_AHEAD = 4
"""Blocks of the cards stream made at once: 16 words, all that two seats need and nearly what six need for third."""
N_PARAMS = 16


ME_DTYPE = np.dtype(
    [
        ("seat", "i8"),
        ("n_cards", "i8"),
        # rank * 4 + suit: rank 0 = ace .. 12 = king, suit 0 c, 1 d, 2 h, 3 s; 255 = not dealt, as the eighth always is:
        # eight bytes are one store, and with seven six-handed play took 1.06 times as long
        ("cards", "u1", (8,)),
        ("rank_mask", "i8"),  # ranks among the cards, bit 0 = ace
        ("to_call_chips", "i8"),  # 0 = check
        ("raise_to_chips", "i8"),  # street total after RAISE; 0 = not allowed
        ("legal_mask", "i8"),  # bit 0 FOLD, 1 CALL, 2 RAISE: features.may_raise, check_or_fold
        ("decision", "i8"),  # own decisions before this one, this street
        ("dice", "u8"),  # 64 random bits; 0 for a strategy declared deterministic
        ("params", "f8", (N_PARAMS,)),
        ("memory", "i8", (64,)),
    ],
    align=True,
)

TABLE_DTYPE = np.dtype(
    [
        ("street", "i8"),
        ("n_seats", "i8"),
        ("button", "i8"),  # seat of the dealer, -1 = before seat 0 (rule B12)
        ("opener", "i8"),  # seat that opened this street; the bring-in on third
        ("bring_in_seat", "i8"),  # -1 = nobody owed it
        ("n_bets", "i8"),  # full bets this round
        ("max_bets", "i8"),  # cap this round, 127 = none
        ("last_aggressor", "i8"),  # last to bet, complete or raise this street, -1 = nobody
        ("live_mask", "i8"),  # not folded
        ("all_in_mask", "i8"),
        ("pot_chips", "i8"),  # everything put in so far
        ("street_bet_chips", "i8"),  # wager to match this street
        ("stack_chips", "i8", (MAX_SEATS,)),  # behind
        ("street_chips", "i8", (MAX_SEATS,)),  # put in this street
        ("hand_chips", "i8", (MAX_SEATS,)),  # put in this hand
        ("up_rank_mask", "i2", (MAX_SEATS,)),  # ranks among a seat's up cards, bit 0 = ace
        ("n_up", "i1", (MAX_SEATS,)),
        ("n_history", "i1", (5,)),  # by street, third first
        ("community", "u1"),
        ("up", "u1", (MAX_SEATS, 4)),  # folded seats keep theirs: dead cards
        # not part of an opening, see bulk
        ("ante_chips", "i8"),
        ("bring_in_chips", "i8"),
        ("small_bet_chips", "i8"),
        ("big_bet_chips", "i8"),
        ("history", "u1", (5, HISTORY_LENGTH)),  # seat << 4 | action
        ("shown", "u1", (MAX_SEATS, 7)),
    ],
    align=True,
)

DECK_DTYPE = np.dtype(
    [
        ("cards", "u1", (N_CARDS,)),  # by slot
        ("n_drawn", "i8"),  # slots filled
        ("seed", "i8"),
        ("domain", "i8"),
        ("deal", "i8"),
        ("n_words", "i8"),  # words used of the cards stream
        ("n_ahead", "i8"),  # blocks made at once
        ("words", "u8", (4, BLOCKS_AHEAD)),  # by word of a block, block
    ],
    align=True,
)

HAND_DTYPE = np.dtype(
    [
        # cards
        ("held", "u8", (MAX_SEATS,)),  # cards by seat, packed: cards.held_card
        ("rank_mask", "i2", (MAX_SEATS,)),  # ranks among them
        ("exposed", "i2", (MAX_SEATS,)),  # state of exposed.exposed_steps
        ("n_undealt", "i4"),  # cards left, burns not counted (X1, X2)
        # betting
        ("actor", "u4"),
        ("to_act_mask", "i4"),  # seats that must still act this street
        ("closed_mask", "i4"),  # acted since the last full bet, completion or raise
        ("bringing_in", "i4"),  # the decision is the bring-in
        ("displaced", "i4"),  # its owner was all-in from the ante (P1)
        ("n_decisions", "i4", (MAX_SEATS,)),  # this street
        ("bet_chips", "i8"),  # this street's bet
        ("level_chips", "i8"),  # last full level (P3)
        ("next_level_chips", "i8"),  # a full raise goes to this
        ("wager_seen_chips", "i8", (MAX_SEATS,)),  # wager to match right after their last action
        # not part of an opening, see bulk
        ("start_chips", "i8", (MAX_SEATS,)),
        ("event_heads_up", "i8"),  # two entrants left in the whole event (B11)
        # outcome
        ("low", "i8", (MAX_SEATS,)),  # at showdown
        ("net_chips", "i8", (MAX_SEATS,)),
        ("rake_chips", "i8"),
        ("uncalled_chips", "i8"),
        ("uncalled_seat", "i8"),  # -1 = nobody
        ("n_pots", "i8"),
        ("pot_chips", "i8", (MAX_SEATS,)),  # after rake
        ("pot_rake_chips", "i8", (MAX_SEATS,)),
        ("pot_seats_mask", "i8", (MAX_SEATS,)),  # who can win it
        ("pot_winners_mask", "i8", (MAX_SEATS,)),
        ("showdown", "i8"),  # 1 = hands were compared
        ("show_order", "i8", (MAX_SEATS,)),
    ],
    align=True,
)

GAME_DTYPE = np.dtype(
    [
        ("unpaired_low", "u2", (1 << 13,)),  # mask of ranks -> low, lows.unpaired_lows
        ("exposed_step", "u2", (N_STEP_STATES, 13)),  # exposed.exposed_steps
        ("card_order", "u1", (N_CARDS,)),  # card -> place among all by the game's rank, then suit
        ("suits_count", "i8"),  # 1 = straights and flushes count against a low
    ],
    align=True,
)

RULES_DTYPE = np.dtype(
    [(name, "i8") for name in ("max_bets", *CHOICES)] + [(f"rake_{name}", "i8") for name in RAKE_FIELDS], align=True
)

ME, TABLE, DECK, HAND, GAME = map(from_dtype, (ME_DTYPE, TABLE_DTYPE, DECK_DTYPE, HAND_DTYPE, GAME_DTYPE))
RULES = from_dtype(RULES_DTYPE)


def table_record(ante: int, bring_in: int, small_bet: int, big_bet: int, n_seats: int, button: int = -1) -> np.ndarray:
    """A table before its first hand as TABLE_DTYPE[1]; amounts in chips."""
    table = np.zeros(1, TABLE_DTYPE)
    for name, value in (
        ("ante_chips", ante),
        ("bring_in_chips", bring_in),
        ("small_bet_chips", small_bet),
        ("big_bet_chips", big_bet),
        ("n_seats", n_seats),
        ("button", button),
    ):
        table[name] = value
    for name in ("up", "community", "shown"):
        table[name] = NO_CARD
    return table
