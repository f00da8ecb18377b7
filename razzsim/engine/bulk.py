"""Millions of hands: groups of deals played over their rotations by compiled strategies, summed exactly.

A group is one deal over all its rotations: the sample of every statistic. Sums are whole chips; squares and
products are carried as (high, low) words of base 2^62, so no sum is ever rounded.
"""

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numba import from_dtype, njit, types

from razzsim.engine import streams
from razzsim.engine.betting import apply_nb, one_seat_nb, set_legal_nb
from razzsim.engine.dealing import start_deal_nb
from razzsim.engine.games import GAMES, Game
from razzsim.engine.settling import rank_hands_nb, settle_nb
from razzsim.engine.state import (
    CALL,
    FOLD,
    GAME,
    HAND,
    HAND_DTYPE,
    HAND_ENDS,
    ILLEGAL_ACTION,
    MAX_SEATS,
    ME,
    ME_DTYPE,
    OK,
    RULES,
    STRATEGY_RAISED,
    STREET_ENDS,
    TABLE,
)
from razzsim.engine.step import next_street_nb, start_hand_nb

STRATEGY_SIGNATURE = types.int64(ME, TABLE)
WORD_BITS = 62
"""Bits of the low word of a square or product."""
SUMS = ("n_hands", "n_nonzero", "net_chips", "net_sq_high", "net_sq_low")
"""Columns of the sums, one row an entrant of the line-up."""

WORK_DTYPE = np.dtype(
    [
        # what to play
        ("seed", "i8"),
        ("domain", "i8"),
        ("first_deal", "i8"),
        ("n_deals", "i8"),
        ("n_rotations", "i8"),
        ("n_entrants", "i8"),  # in this line-up
        ("shuffled", "i8"),  # 1: seating by the deal's SEATING stream; 0: copy k starts in seat k
        ("button_rotates", "i8"),
        ("fold_on_error", "i8"),
        ("entrant_of", "i8", (MAX_SEATS,)),  # copy -> place of its entrant in the line-up
        ("wants_dice", "i8", (MAX_SEATS,)),  # by copy
        ("start_chips", "i8", (MAX_SEATS,)),  # by seat
        # what was played
        ("n_hands", "i8"),
        ("n_decisions", "i8"),
        ("n_faults", "i8", (MAX_SEATS,)),  # by place: decisions folded for a strategy that failed
        # where it stands, or stopped
        ("deal", "i8"),
        ("rotation", "i8"),
        ("action", "i8"),
        ("order", "i8", (MAX_SEATS,)),  # seat s of rotation r holds copy order[(s + r) mod n_seats]
    ],
    align=True,
)
WORK = from_dtype(WORK_DTYPE)


@njit
def _ask_nb(strategies, copy, me, table):
    """The strategy's action, or STRATEGY_RAISED. The guard costs nothing measurable: 4.7 ns a call with or without."""
    action = STRATEGY_RAISED
    try:
        action = strategies[copy](me, table)
    except Exception:
        action = STRATEGY_RAISED
    return action


@njit
def _play_hand_nb(rules, game, table, hand, mes, work, strategies):
    """One hand from antes to payout; HAND_ENDS or an error code, with work.action and the records as they stood."""
    code = start_hand_nb(table, hand, mes, work.start_chips)
    while code == STREET_ENDS:
        code = next_street_nb(rules, game, table, hand, mes)
        while code == OK:
            copy = hand.holder[hand.actor]
            me = mes[copy]
            set_legal_nb(rules, table, hand, me)
            if work.wants_dice[copy]:
                me.dice = streams.dice_nb(work.seed, work.domain, work.deal, me.seat, table.street, me.decision)
            work.action = _ask_nb(strategies, copy, me, table)
            work.n_decisions += 1
            code = apply_nb(rules, table, hand, me, work.action)
            if code == ILLEGAL_ACTION:
                if not work.fold_on_error:
                    return STRATEGY_RAISED if work.action == STRATEGY_RAISED else code
                work.n_faults[work.entrant_of[copy]] += 1
                code = apply_nb(rules, table, hand, me, FOLD if me.legal_mask & 1 << FOLD else CALL)
    if not one_seat_nb(table.live_mask):
        rank_hands_nb(game, table, hand, mes)
    return settle_nb(rules, game, table, hand, mes)


@njit
def _seat_copies_nb(work, n):
    """The order of copies around the table for work.deal."""
    for seat in range(n):
        work.order[seat] = seat
    if work.shuffled:
        streams.shuffle_nb(work.seed, work.domain, streams.SEATING, work.deal, work.order, n)


@njit
def _add_product_nb(words, high, low, x, y):
    """Add x * y (each below 2^31 in size) to the (high, low) number in words."""
    total = words[low] + x * y
    words[high] += total >> WORD_BITS
    words[low] = total & ((1 << WORD_BITS) - 1)


@njit
def _add_group_nb(work, group_net, sums, cross):
    pair = 0
    for a in range(work.n_entrants):
        net = group_net[a]
        sums[a, 1] += net != 0
        sums[a, 2] += net
        _add_product_nb(sums[a], 3, 4, net, net)
        for b in range(a + 1, work.n_entrants):
            _add_product_nb(cross[pair], 0, 1, net, group_net[b])
            pair += 1


def _play_groups(rules_1, game_1, table_1, hand_1, mes, work_1, strategies, sums, cross):
    rules, game, table, hand, work = rules_1[0], game_1[0], table_1[0], hand_1[0], work_1[0]
    n = table.n_seats
    group_net = np.zeros(MAX_SEATS, np.int64)
    for deal in range(work.first_deal, work.first_deal + work.n_deals):
        work.deal = deal
        start_deal_nb(hand, work.seed, work.domain, deal)
        _seat_copies_nb(work, n)
        if work.button_rotates:
            table.button = deal % n
        group_net[:] = 0
        for rotation in range(work.n_rotations):
            work.rotation = rotation
            for seat in range(n):
                hand.holder[seat] = work.order[(seat + rotation) % n]
            code = _play_hand_nb(rules, game, table, hand, mes, work, strategies)
            if code != HAND_ENDS:
                return code
            for seat in range(n):
                place = work.entrant_of[hand.holder[seat]]
                group_net[place] += hand.net_chips[seat]
                sums[place, 0] += 1
            work.n_hands += 1
        _add_group_nb(work, group_net, sums, cross)
    return OK


def _array(record: types.Record) -> types.Array:
    return types.Array(record, 1, "C")


KERNEL_SIGNATURE = types.int64(
    _array(RULES),
    _array(GAME),
    _array(TABLE),
    _array(HAND),
    _array(ME),
    _array(WORK),
    types.UniTuple(types.FunctionType(STRATEGY_SIGNATURE), MAX_SEATS),
    types.int64[:, ::1],
    types.int64[:, ::1],
)


@cache
def kernel() -> Callable[..., int]:
    """The compiled kernel; compiled once for all strategies and kept on disk. Other threads run meanwhile."""
    return njit(KERNEL_SIGNATURE, cache=True, nogil=True)(_play_groups)


class GroupPlayer:
    """Plays groups of one line-up and keeps the records it plays on, so that a failure can be looked at.

    rules, table: records; strategies: one compiled entry a copy; params: float64[n_copies, N_PARAMS];
    work: WORK_DTYPE[1] with what to play, except the deals.
    """

    def __init__(
        self,
        rules: np.ndarray,
        table: np.ndarray,
        strategies: Sequence[Callable[..., int]],
        params: np.ndarray,
        work: np.ndarray,
        game: Game = GAMES["razz"],
    ) -> None:
        self._rules, self.table, self.work = rules, table.copy(), work.copy()
        self.hand, self.mes = np.zeros(1, HAND_DTYPE), np.zeros(MAX_SEATS, ME_DTYPE)
        self.mes["params"][: len(params)] = params
        self._strategies = tuple(strategies) + (strategies[0],) * (MAX_SEATS - len(strategies))
        self._game = game.record

    def play(self, first_deal: int, n_deals: int) -> tuple[int, np.ndarray, np.ndarray]:
        """Play deals first_deal.. and return (code, sums, cross).

        sums: int64[n_entrants, len(SUMS)]; cross: int64[pairs a < b, 2], the products' (high, low) words.
        code is OK, or what stopped the deal that `work` and the records then show.
        """
        n = int(self.work["n_entrants"][0])
        sums, cross = np.zeros((n, len(SUMS)), np.int64), np.zeros((n * (n - 1) // 2, 2), np.int64)
        for name in ("n_hands", "n_decisions", "n_faults"):
            self.work[name] = 0
        self.work["first_deal"], self.work["n_deals"] = first_deal, n_deals
        code = kernel()(
            self._rules, self._game, self.table, self.hand, self.mes, self.work, self._strategies, sums, cross
        )
        return int(code), sums, cross
