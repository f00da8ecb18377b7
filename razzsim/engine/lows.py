"""Lows as integers: 0 is the best, smaller is better, equal integers split.

A game's own ranks count from its best: 0 = ace .. 12 = king in ace-to-five Razz (rules L1-L3), 0 = deuce .. 12 = ace
in deuce-to-seven (G1). Lows are numbered class by class, from unpaired to straight flush; ace-to-five knows no
straights and flushes and leaves those numbers out. Inside a class the order is the rank that repeats, then the
side cards from the top: an unpaired low is sum C(rank_i, i + 1) over its ranks in rising order (the combinatorial
number system), which *is* the order from the top card down.
"""

from collections.abc import Sequence
from itertools import combinations
from math import comb

import numpy as np

from razzsim.engine.bits import lowest_bit, n_bits
from razzsim.engine.cards import NO_CARD
from razzsim.engine.held import held_card_nb
from razzsim.engine.jit import inlined, inner

UNPAIRED, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH = range(9)
CLASS_NAMES = (
    "unpaired", "one pair", "two pair", "trips", "straight", "flush", "full house", "quads", "straight flush",
)  # fmt: skip
_UNPAIRED_SETS = comb(13, 5)
_CLASS_SIZES = (
    _UNPAIRED_SETS, 13 * comb(12, 3), comb(13, 2) * 11, 13 * comb(12, 2), 13, _UNPAIRED_SETS, 13 * 12, 13 * 12, 13,
)  # fmt: skip
FIRST_OF_CLASS = tuple(sum(_CLASS_SIZES[:i]) for i in range(9))
NEEDS_PAIR = 0xFFFF
"""In a game's `unpaired_low`: no five ranks that make an unpaired low."""

_PAIR_0, _TWO_PAIR_0, _TRIPS_0, _STRAIGHT_0, _FLUSH_0, _FULL_0, _QUADS_0, _STRAIGHT_FLUSH_0 = FIRST_OF_CLASS[1:]
FIVE_OF_SEVEN = np.array([mask for mask in range(1 << 7) if mask.bit_count() == 5])
"""Masks that choose five of seven cards; those below 2^n choose five of n."""


def unpaired_lows(order: Sequence[int], *, straights: bool) -> np.ndarray:
    """uint16[8192]: mask of card ranks (bit 0 = ace) -> its best unpaired low, or NEEDS_PAIR.

    order: card rank -> the game's rank; straights: whether five in a row are none (they are not, ace to five).
    """
    table = np.full(1 << 13, NEEDS_PAIR, np.uint16)
    for five in combinations(range(13), 5):
        ranks = sorted(order[rank] for rank in five)
        if not (straights and ranks[4] - ranks[0] == 4):
            table[sum(1 << rank for rank in five)] = sum(comb(rank, i + 1) for i, rank in enumerate(ranks))
    for mask in range(1 << 13):  # rising: every subset of a mask comes before it
        for rank in range(13):
            if mask >> rank & 1 and mask.bit_count() > 5:
                table[mask] = min(table[mask], table[mask & ~(1 << rank)])
    return table


SET_NUMBER = np.array(
    [sum(comb(rank, i + 1) for i, rank in enumerate(r for r in range(13) if mask >> r & 1)) for mask in range(1 << 13)],
    np.uint16,
)
"""uint16[8192]: mask of ranks -> its number among the sets of its size, in the order from the top rank down."""


@inlined
def _without_nb(mask, rank):
    """The mask with the place of `rank` taken out, so that higher ranks move down by one."""
    below = (1 << rank) - 1
    return mask & below | mask >> 1 & ~below


@inner
def paired_low_nb(once, twice, thrice):
    """Best low of 5 to 7 cards with fewer than five ranks (L2).

    once, twice, thrice: masks of the ranks held at least one, two and three times.
    """
    n_ranks = n_bits(once)
    first = lowest_bit(twice)
    if n_ranks == 4:
        return _PAIR_0 + first * 220 + SET_NUMBER[_without_nb(once, first)]
    if n_ranks == 3:
        rest = twice & (twice - 1)
        if rest == 0:
            return _TRIPS_0 + first * 66 + SET_NUMBER[_without_nb(once, first)]
        pairs = 1 << first | rest & -rest
        side = once & ~pairs
        return _TWO_PAIR_0 + SET_NUMBER[pairs] * 11 + n_bits(side - 1 & ~pairs)
    low, high = first, lowest_bit(once & ~(1 << first))
    if thrice >> low & 1 and twice >> high & 1:
        return _FULL_0 + low * 12 + high - 1
    if high < low:  # only the higher rank is paired
        return _QUADS_0 + low * 12 + high
    if thrice >> high & 1 and twice >> low & 1:
        return _FULL_0 + high * 12 + low
    return _QUADS_0 + low * 12 + high - 1


@inlined
def low_nb(game, ranks, held):
    """Best low of 5 to 7 cards. ranks: mask of their ranks; held: the cards, packed."""
    low = np.int64(game.unpaired_low[ranks])
    return _counted_low_nb(game, held) if low == NEEDS_PAIR or game.suits_count else low


@inner
def _counted_low_nb(game, held):
    """`low_nb` where the mask of ranks is not enough: pairs, or a game in which suits count."""
    once, twice, thrice = 0, 0, 0
    n_cards, suits = 0, 0  # suits: four counters of four bits
    while n_cards < 7 and held_card_nb(held, n_cards) != NO_CARD:
        card = held_card_nb(held, n_cards)
        bit = 1 << (card >> 2)
        thrice |= twice & bit
        twice |= once & bit
        once |= bit
        suits += 1 << 4 * (card & 3)
        n_cards += 1
    low = np.int64(game.unpaired_low[once])
    if not game.suits_count:
        return low if low != NEEDS_PAIR else paired_low_nb(once, twice, thrice)
    has_flush = (suits + 0x3333) & 0x8888 != 0  # a count of five or more carries into its top bit
    return low if low != NEEDS_PAIR and not has_flush else _best_five_nb(game, held, n_cards)


@inner
def _best_five_nb(game, held, n_cards):
    """The best of all five-card subsets, each looked at on its own."""
    best = 1 << 30
    for mask in FIVE_OF_SEVEN:
        if mask < 1 << n_cards:
            best = min(best, five_low_nb(game, held, mask))
    return best


@inner
def five_low_nb(game, held, chosen):
    """The low of exactly five cards: those of the mask `chosen` among the packed cards."""
    once, twice, thrice, suits = 0, 0, 0, 0
    for i in range(7):
        if chosen >> i & 1:
            card = np.int64(game.card_order[held_card_nb(held, i)])
            bit = 1 << (card >> 2)
            thrice |= twice & bit
            twice |= once & bit
            once |= bit
            suits |= 1 << (card & 3)
    if twice:
        return paired_low_nb(once, twice, thrice)
    low = np.int64(SET_NUMBER[once])
    if not game.suits_count:
        return low
    top = 12
    while not once >> top & 1:
        top -= 1
    is_straight, is_flush = once == 0b11111 << top >> 4, suits & (suits - 1) == 0
    if is_straight:
        return _STRAIGHT_FLUSH_0 + top if is_flush else _STRAIGHT_0 + top
    return _FLUSH_0 + low if is_flush else low


def low_class(low: int) -> int:
    """UNPAIRED .. STRAIGHT_FLUSH of a low."""
    return max(i for i, first in enumerate(FIRST_OF_CLASS) if low >= first)


def low_ranks(low: int, names: str) -> str:
    """The five ranks of a low, what decides first in front: `86432`, `99AKQ`. names: the game's ranks, best first."""
    kind = low_class(low)
    rest = low - FIRST_OF_CLASS[kind]
    if kind in (UNPAIRED, FLUSH):
        return _ranks_text(_from_colex(rest, 5, []), names)
    if kind in (STRAIGHT, STRAIGHT_FLUSH):
        return _ranks_text([rest - k for k in range(5)], names)
    if kind == TWO_PAIR:
        pairs = _from_colex(rest // 11, 2, [])
        return "".join(names[r] * 2 for r in pairs) + _ranks_text(_from_colex(rest % 11, 1, pairs), names)
    copies = {PAIR: 2, TRIPS: 3, FULL_HOUSE: 3, QUADS: 4}[kind]
    n_kickers = {PAIR: 3, TRIPS: 2, FULL_HOUSE: 1, QUADS: 1}[kind]
    many, number = divmod(rest, comb(12, n_kickers))
    kickers = _from_colex(number, n_kickers, [many])
    return names[many] * copies + _ranks_text(kickers, names) * (2 if kind == FULL_HOUSE else 1)


def _from_colex(number: int, size: int, skipped: list[int]) -> list[int]:
    """Ranks, highest first, of the number-th set of that size among the ranks not skipped."""
    available = [rank for rank in range(13) if rank not in skipped]
    ranks = []
    for k in range(size, 0, -1):
        index = max(i for i in range(len(available)) if comb(i, k) <= number)
        number -= comb(index, k)
        ranks.append(available[index])
    return ranks


def _ranks_text(ranks: list[int], names: str) -> str:
    return "".join(names[rank] for rank in ranks)
