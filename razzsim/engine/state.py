"""What a hand is made of while it is played: three records.

TABLE is public and is what a strategy sees beside its own ME; the engine plays on these very records, so a
view costs no copying. HAND is the engine's own: cards to come, and what betting must remember.
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
OK, STREET_ENDS, HAND_ENDS = 0, 1, 2
ILLEGAL_ACTION, BAD_INDEX, CHIPS_LOST, STRATEGY_RAISED = -1, -2, -3, -4
HISTORY_LENGTH = 64
N_PARAMS = 16

ME_DTYPE = np.dtype(
    [
        ("seat", "i8"),
        ("n_cards", "i8"),
        ("cards", "u1", (7,)),  # rank * 4 + suit: rank 0 = ace .. 12 = king, suit 0 c, 1 d, 2 h, 3 s; 255 = not dealt
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
        ("ante_chips", "i8"),
        ("bring_in_chips", "i8"),
        ("small_bet_chips", "i8"),
        ("big_bet_chips", "i8"),
        ("pot_chips", "i8"),  # everything put in so far
        ("street_bet_chips", "i8"),  # wager to match this street
        ("live_mask", "i8"),  # not folded
        ("all_in_mask", "i8"),
        ("last_aggressor", "i8"),  # last to bet, complete or raise this street, -1 = nobody
        ("stack_chips", "i8", (MAX_SEATS,)),  # behind
        ("street_chips", "i8", (MAX_SEATS,)),  # put in this street
        ("hand_chips", "i8", (MAX_SEATS,)),  # put in this hand
        ("n_up", "i8", (MAX_SEATS,)),
        ("n_history", "i8", (5,)),  # by street, third first
        ("up", "u1", (MAX_SEATS, 4)),  # folded seats keep theirs: dead cards
        ("community", "u1"),
        ("history", "u1", (5, HISTORY_LENGTH)),  # seat << 4 | action
        ("shown", "u1", (MAX_SEATS, 7)),
    ],
    align=True,
)

HAND_DTYPE = np.dtype(
    [
        # cards
        ("deck", "u1", (N_CARDS,)),  # by slot
        ("n_drawn", "i8"),  # slots filled
        ("seed", "i8"),
        ("domain", "i8"),
        ("deal", "i8"),
        ("block", "i8"),  # next block of the cards stream
        ("words", "u8", (4,)),
        ("word_at", "i8"),
        ("n_undealt", "i8"),  # cards left, burns not counted (X1, X2)
        ("exposed", "i8", (MAX_SEATS,)),  # state of exposed.exposed_steps
        ("low", "i8", (MAX_SEATS,)),  # at showdown
        # betting
        ("actor", "i8"),
        ("to_act_mask", "i8"),  # seats that must still act this street
        ("bringing_in", "i8"),  # the decision is the bring-in
        ("displaced", "i8"),  # its owner was all-in from the ante (P1)
        ("event_heads_up", "i8"),  # two entrants left in the whole event (B11)
        ("bet_chips", "i8"),  # this street's bet
        ("level_chips", "i8"),  # last full level (P3)
        ("next_level_chips", "i8"),  # a full raise goes to this
        ("acted_mask", "i8"),  # acted this street
        ("reopened_mask", "i8"),  # a full bet, completion or raise came since they acted
        ("wager_seen_chips", "i8", (MAX_SEATS,)),  # wager to match right after their last action
        # outcome
        ("start_chips", "i8", (MAX_SEATS,)),
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
        ("holder", "i8", (MAX_SEATS,)),  # seat -> which ME record sits there
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

ME, TABLE, HAND, GAME = (from_dtype(dtype) for dtype in (ME_DTYPE, TABLE_DTYPE, HAND_DTYPE, GAME_DTYPE))
RULES = from_dtype(RULES_DTYPE)

LOWEST_SEAT = np.array([next((s for s in range(8) if mask >> s & 1), 8) for mask in range(256)], np.int64)
"""Lowest seat of a mask; 8 for none."""
N_SEATS_IN = np.array([mask.bit_count() for mask in range(256)], np.int64)
"""Number of seats in a mask."""


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
