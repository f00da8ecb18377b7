"""Millions of hands: groups of deals played over their rotations by compiled strategies, summed exactly.

A group is one deal over all its rotations: the sample of every statistic. Sums are whole chips; squares and
products are carried as (high, low) words of base 2^62, so no sum is ever rounded.
"""

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numba import from_dtype, types

from razzsim.engine import counted, streams
from razzsim.engine.betting import apply_nb, give_view_nb, one_seat_nb
from razzsim.engine.dealing import start_deal_nb
from razzsim.engine.entries import address_of, ask_nb
from razzsim.engine.games import GAMES, Game
from razzsim.engine.jit import inlined, inner, kernel_of
from razzsim.engine.rows import (
    ACTION_ROWS,
    ACTION_ROWS_DTYPE,
    ACTIONS,
    GROUP_ROWS,
    GROUP_ROWS_DTYPE,
    HAND_ROWS,
    HAND_ROWS_DTYPE,
    HANDS,
    add_action_row_nb,
    add_group_row_nb,
    add_hand_row_nb,
    have_room_nb,
    is_sampled_nb,
)
from razzsim.engine.settling import rank_hands_nb, settle_nb
from razzsim.engine.state import (
    BLOCKS_AHEAD,
    CALL,
    DECK_DTYPE,
    FOLD,
    GAME,
    HAND_DTYPE,
    HAND_ENDS,
    ILLEGAL_ACTION,
    MAX_SEATS,
    ME_DTYPE,
    OK,
    ROWS_FULL,
    ROWS_LOST,
    RULES,
    STRATEGY_RAISED,
    STREET_ENDS,
    TABLE_DTYPE,
)
from razzsim.engine.step import forget_nb, next_street_nb, start_hand_nb
from razzsim.engine.tally import (
    TALLY,
    TALLY_DTYPE,
    count_decision_nb,
    count_hand_nb,
    count_opening_nb,
    count_start_nb,
)

WORD_BITS = 62
"""Bits of the low word of a square or product."""
SPOT_DTYPE = np.dtype([("table", TABLE_DTYPE), ("hand", HAND_DTYPE)], align=True)
SPOT = from_dtype(SPOT_DTYPE)
SPOT_WORDS = SPOT_DTYPE.itemsize // 8
assert TABLE_DTYPE.fields is not None
assert HAND_DTYPE.fields is not None
TABLE_OPENING = (0, TABLE_DTYPE.fields["ante_chips"][1] // 8)
HAND_OPENING = (TABLE_DTYPE.itemsize // 8, (TABLE_DTYPE.itemsize + HAND_DTYPE.fields["start_chips"][1]) // 8)
"""64-bit words of a spot that an opening fills. Third street opens alike in every rotation of a deal, whoever sits
where: it is laid once and copied, in words, of which LLVM makes vectors (a record assigned to a record goes byte by
byte)."""
SUMS = ("n_hands", "n_nonzero", "net_chips", "net_sq_high", "net_sq_low")
"""Columns of the sums, one row an entrant of the line-up."""
MAX_PAIRS = MAX_SEATS * (MAX_SEATS - 1) // 2

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
        ("entrant_of", "u4", (MAX_SEATS,)),  # copy -> place of its entrant in the line-up
        ("wants_dice", "i8", (MAX_SEATS,)),  # by copy
        ("rolls", "i8"),  # 1: a copy wants dice
        ("entry", "i8", (MAX_SEATS,)),  # by copy: address of its strategy's machine code
        ("start_chips", "i8", (MAX_SEATS,)),  # by seat
        ("level", "i8"),  # of recording, rows.GROUPS and so on
        ("sample_first", "u8"),  # deals whose numbers in 0 .. 2^64 - 1 are sample_first .. + sample_width are recorded
        ("sample_width", "u8"),
        # what was played
        ("n_hands", "i8"),
        ("n_decisions", "i8"),
        ("n_faults", "i8", (MAX_SEATS,)),  # by place: decisions folded for a strategy that failed
        ("sums", "i8", (MAX_SEATS, len(SUMS))),  # by place
        ("cross", "i8", (MAX_PAIRS, 2)),  # by pair of places a < b: products of their nets, (high, low) words
        # where it stands, or stopped
        ("deal", "i8"),
        ("rotation", "i8"),
        ("action", "i8"),
        ("records", "i8"),  # level of recording for this deal
        ("n_group_rows", "i8"),
        ("n_hand_rows", "i8"),
        ("n_action_rows", "i8"),
        ("n_rows_before", "i8"),  # action rows before this deal
        ("dice_key", "u8"),  # of the deal
        ("order", "u4", (2 * MAX_SEATS,)),  # seat s of rotation r holds copy order[s + r]: twice around the table
        ("group_net_chips", "i8", (MAX_SEATS,)),  # by place
        ("deck", DECK_DTYPE),
        ("me", ME_DTYPE, (MAX_SEATS,)),  # by copy: its view, parameters and memory
    ],
    align=True,
)
"""Everything of one kernel call in one record. Arrays as arguments are reference-counted, with an atomic instruction
each time one passes to a function: six-handed play took 1.11 times as long with views, sums and entries beside it."""
WORK = from_dtype(WORK_DTYPE)
assert WORK_DTYPE.fields is not None
PLAYED = (WORK_DTYPE.fields["n_hands"][1] // 8, WORK_DTYPE.fields["deal"][1] // 8)
"""64-bit words that say what was played."""
TakeRows = Callable[[list[tuple[np.ndarray, int]]], None]
_ROW_COUNTS = ("n_group_rows", "n_hand_rows", "n_action_rows")


@inlined
def _decide_nb(rules, game, table, hand, work, tally, actions, n):
    """The next seat in turn decides and acts; what betting says then, or an error code. n: decisions before it."""
    copy = work.order[work.rotation + hand.actor]
    me = work.me[copy]
    give_view_nb(rules, table, hand, me)
    if work.wants_dice[copy]:
        me.dice = streams.dice_nb(work.dice_key, hand.actor, table.street, me.decision)
    was_bringing_in, n_bets = hand.bringing_in, table.n_bets
    action = ask_nb(work.entry[copy], me, table)
    if work.records == ACTIONS and not add_action_row_nb(table, me, work, actions, copy, action, n):
        return ROWS_LOST
    code = apply_nb(rules, table, hand, me, action)
    if code == ILLEGAL_ACTION:  # looked at afterwards: before, heads-up play took 1.08 times as long
        work.action = action
        if not work.fold_on_error:
            return STRATEGY_RAISED if action == STRATEGY_RAISED else ILLEGAL_ACTION
        work.n_faults[work.entrant_of[copy]] += 1
        action = FOLD if me.legal_mask & 1 << FOLD else CALL
        if work.records == ACTIONS:
            work.n_action_rows -= 1
            add_action_row_nb(table, me, work, actions, copy, action, n)
        code = apply_nb(rules, table, hand, me, action)
    count_decision_nb(game, table, tally, work.entrant_of[copy], me, action, was_bringing_in, n_bets)
    return code


@inlined
def _play_hand_nb(rules, game, table, hand, work, tally, actions, code):
    """One hand from its first decision to payout; HAND_ENDS or an error code, the records as they stood.

    code: what the opening of third street said.
    """
    n_decisions = 0
    count_start_nb(game, table, tally)
    while True:
        while code == OK:
            code = _decide_nb(rules, game, table, hand, work, tally, actions, n_decisions)
            n_decisions += 1
        if code != STREET_ENDS:
            break
        code = next_street_nb(rules, game, table, hand, work.deck)
    work.n_decisions += n_decisions
    if code != HAND_ENDS:
        return code
    if not one_seat_nb(table.live_mask):
        rank_hands_nb(game, table, hand)
    code = settle_nb(rules, game, table, hand)
    count_hand_nb(table, hand, tally, work)
    return code


@inner
def _seat_copies_nb(work, n):
    """The order of copies around the table for work.deal; a rotation seats each one seat further back."""
    for seat in range(n):
        work.order[seat] = seat
    if work.shuffled:
        streams.shuffle_nb(work.seed, work.domain, streams.SEATING, work.deal, work.order, n)
    for seat in range(n):
        work.order[n + seat] = work.order[seat]


@inlined
def _add_product_nb(words, row, high, low, x, y):
    """Add x * y (each below 2^31 in size) to the (high, low) number in words[row]."""
    total = words[row, low] + x * y
    words[row, high] += total >> WORD_BITS
    words[row, low] = total & ((1 << WORD_BITS) - 1)


@inner
def _add_group_nb(work):
    pair = 0
    for a in range(work.n_entrants):
        net = work.group_net_chips[a]
        work.sums[a, 1] += net != 0
        work.sums[a, 2] += net
        _add_product_nb(work.sums, a, 3, 4, net, net)
        for b in range(a + 1, work.n_entrants):
            _add_product_nb(work.cross, pair, 0, 1, net, work.group_net_chips[b])
            pair += 1


@inlined
def _open_deal_nb(rules, game, table, hand, work):
    """Shuffle, seat, and open third street, which is the same in every rotation; what betting says."""
    if work.rolls:
        work.dice_key = streams.dice_key_nb(work.seed, work.domain, work.deal)
    start_deal_nb(work.deck, work.seed, work.domain, work.deal)
    _seat_copies_nb(work, table.n_seats)
    if work.button_rotates:
        table.button = work.deal % table.n_seats
    start_hand_nb(table, hand, work.start_chips)
    return next_street_nb(rules, game, table, hand, work.deck)


@inlined
def _copy_opening_nb(words, to, source):
    for i in range(*TABLE_OPENING):
        words[to + i] = words[source + i]
    for i in range(*HAND_OPENING):
        words[to + i] = words[source + i]


def _play_groups(rules_1, game_1, spot_1, words, work_1, tally_1, groups_1, hands_1, actions_1):
    # Arrays are used here alone: passed on, they would be reference-counted (six-handed play took 1.1 times as long).
    rules, game, table, hand = rules_1[0], game_1[0], spot_1[0].table, spot_1[0].hand
    work, tally, groups, hands, actions = work_1[0], tally_1[0], groups_1[0], hands_1[0], actions_1[0]
    for deal in range(work.first_deal, work.first_deal + work.n_deals):
        work.deal, work.records, work.n_rows_before = deal, 0, work.n_action_rows
        if work.level and is_sampled_nb(work.seed, deal, work.sample_first, work.sample_width):
            work.records = work.level
            if not have_room_nb(work):
                return ROWS_FULL
        opening = _open_deal_nb(rules, game, table, hand, work)
        count_opening_nb(game, table, hand, tally)
        _copy_opening_nb(words, SPOT_WORDS, 0)
        for place in range(MAX_SEATS):
            work.group_net_chips[place] = 0
        for rotation in range(work.n_rotations):
            work.rotation = rotation
            if rotation:
                forget_nb(table)
                _copy_opening_nb(words, 0, SPOT_WORDS)
            code = _play_hand_nb(rules, game, table, hand, work, tally, actions, opening)
            if code != HAND_ENDS:
                return code
            if work.records >= HANDS:
                add_hand_row_nb(table, hand, work, hands)
        work.n_hands += work.n_rotations
        _add_group_nb(work)
        if work.records:
            add_group_row_nb(work, groups)
    for copy in range(table.n_seats):  # each is in every hand
        work.sums[work.entrant_of[copy], 0] += work.n_hands
    return OK


def _array(record: types.Record) -> types.Array:
    return types.Array(record, 1, "C")


KERNEL_SIGNATURE = types.int64(
    *(_array(record) for record in (RULES, GAME, SPOT)),
    types.int64[::1],
    *(_array(record) for record in (WORK, TALLY, GROUP_ROWS, HAND_ROWS, ACTION_ROWS)),
)


@cache
def kernel() -> Callable[..., int]:
    """The compiled kernel; compiled once for all strategies and kept on disk, with what reads its counters."""
    counted.load()
    return kernel_of(KERNEL_SIGNATURE)(_play_groups)


class Buffers:
    """What the kernel writes beside a table's sums: counters, and rows of the recorded deals.

    One set serves all line-ups of a worker in turn. level: rows.SUMS to rows.ACTIONS.
    """

    def __init__(self, level: int = 0) -> None:
        self.level = level
        self.tally = np.zeros(1, TALLY_DTYPE)
        self._places = self.tally["places"][0].view(np.int64).reshape(MAX_SEATS, -1)
        # Those that are not wanted are never touched, and so take no memory.
        self.rows = [np.zeros(1, dtype) for dtype in (GROUP_ROWS_DTYPE, HAND_ROWS_DTYPE, ACTION_ROWS_DTYPE)]

    @property
    def top_pots(self) -> np.ndarray:
        """The biggest pots: deal, rotation, chips."""
        return self.tally["top_pots"][0, : int(self.tally["n_top_pots"][0])]

    def clear(self, n_places: int) -> None:
        """Begin to count anew for a line-up of so many entrants."""
        self._places[:n_places] = 0
        self.tally["n_top_pots"] = self.tally["least_pot_chips"] = 0


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
        buffers: Buffers | None = None,
    ) -> None:
        self._rules, self._game, self.work = rules, game.record, work.copy()
        self.buffers = buffers or Buffers()
        self.work["level"] = self.buffers.level
        self.work["me"]["params"][0, : len(params)] = params
        self.work["rolls"] = self.work["wants_dice"].any()
        self.work["deck"]["n_ahead"] = BLOCKS_AHEAD
        self.work["entry"][0, : len(strategies)] = [address_of(strategy) for strategy in strategies]
        self._strategies = tuple(strategies)  # their machine code must outlive us
        self._words = np.zeros(2 * SPOT_WORDS, np.int64)
        self._spot = self._words.view(SPOT_DTYPE)
        self._spot["table"][0] = table[0]
        # As words, a record is copied at once: field by field it took NumPy 60 times as long.
        self._work_words = self.work.view(np.int64)
        self._as_made = self._words.copy(), self._work_words.copy()
        self._sums, self._cross = self.work["sums"][0], self.work["cross"][0]
        self._played = self._work_words[slice(*PLAYED)]

    @property
    def table(self) -> np.ndarray:
        """The public record as it stands, TABLE_DTYPE[1]."""
        return self._spot["table"][:1]

    @property
    def hand(self) -> np.ndarray:
        """The engine's record as it stands, HAND_DTYPE[1]."""
        return self._spot["hand"][:1]

    @property
    def mes(self) -> np.ndarray:
        """The views of the copies, ME_DTYPE[MAX_SEATS]."""
        return self.work["me"][0]

    def clear(self) -> None:
        """Lay the table as it was made; who sits down next, written into `work`, finds nothing of those before."""
        self._words[:], self._work_words[:] = self._as_made

    def play(
        self, first_deal: int, n_deals: int, take_rows: TakeRows = lambda rows: None
    ) -> tuple[int, np.ndarray, np.ndarray]:
        """Play deals first_deal.. and return (code, sums, cross).

        sums: int64[n_entrants, len(SUMS)]; cross: int64[pairs a < b, 2], the products' (high, low) words.
        code is OK, or what stopped the deal that `work` and the records then show. Counters: buffers.tally.
        take_rows is given the buffers of groups, hands and actions, each with its number of rows, whenever one is full,
        and at the end; they are overwritten after it returns.
        """
        work = self.work[0]
        self._played.fill(0)
        n, end, code = int(work["n_entrants"]), first_deal + n_deals, ROWS_FULL
        self.buffers.clear(n)
        while code == ROWS_FULL:
            work["first_deal"], work["n_deals"] = first_deal, end - first_deal
            code = self._play_until_full()
            if self.buffers.level:
                take_rows([(rows, int(work[name])) for rows, name in zip(self.buffers.rows, _ROW_COUNTS, strict=True)])
            first_deal = int(work["deal"])
        return code, self._sums[:n].copy(), self._cross[: n * (n - 1) // 2].copy()

    def _play_until_full(self) -> int:
        for name in _ROW_COUNTS:
            self.work[name] = 0
        records = (self._rules, self._game, self._spot, self._words, self.work)
        return int(kernel()(*records, self.buffers.tally, *self.buffers.rows))
