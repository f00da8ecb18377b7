"""Lows as integers: 0 is the best (5-4-3-2-A), smaller is better, equal integers split.

A-5 lows (rules L1-L3): 1,287 unpaired lows come first, ordered by their highest card, then pairs, two
pair, trips, full houses and quads: 6,175 distinct five-card lows in all. An unpaired low is numbered by
the combinatorial number system, sum C(rank_i, i + 1) over its ranks in rising order, which *is* the order
from the top card down.
"""

from itertools import combinations
from math import comb

import numpy as np
from numba import njit

from razzsim.engine.cards import RANKS

UNPAIRED, PAIR, TWO_PAIR, TRIPS, FULL_HOUSE, QUADS = range(6)
CLASS_NAMES = ("unpaired", "one pair", "two pair", "trips", "full house", "quads")
_CLASS_SIZES = (comb(13, 5), 13 * comb(12, 3), comb(13, 2) * 11, 13 * comb(12, 2), 13 * 12, 13 * 12)
FIRST_OF_CLASS = tuple(sum(_CLASS_SIZES[:i]) for i in range(6))
N_LOWS = sum(_CLASS_SIZES)
NEEDS_PAIR = 0xFFFF
"""In `unpaired_lows`: fewer than five ranks, so the low holds a pair."""

_PAIR_0, _TWO_PAIR_0, _TRIPS_0, _FULL_0, _QUADS_0 = FIRST_OF_CLASS[1:]


def unpaired_lows() -> np.ndarray:
    """uint16[8192]: rank mask (bit 0 = ace) -> low of its five lowest ranks, or NEEDS_PAIR."""
    table = np.full(1 << 13, NEEDS_PAIR, np.uint16)
    low_of = {frozenset(five): _colex(five) for five in combinations(range(13), 5)}
    for mask in range(1 << 13):
        ranks = [rank for rank in range(13) if mask >> rank & 1]
        if len(ranks) >= 5:
            table[mask] = low_of[frozenset(ranks[:5])]
    return table


def _colex(ranks: tuple[int, ...]) -> int:
    return sum(comb(rank, i + 1) for i, rank in enumerate(ranks))


@njit
def _colex_without_nb(mask, skipped):
    """Number of the ranks in mask among all sets of that size drawn from the ranks not in skipped."""
    number, size, rank = 0, 0, 0
    for r in range(13):
        bit = 1 << r
        if skipped & bit:
            continue
        if mask & bit:
            size += 1
            choose = 1
            for k in range(size):  # C(rank, size), exact at every step
                choose = choose * (rank - k) // (k + 1)
            number += choose
        rank += 1
    return number


@njit
def _lowest_rank_nb(mask):
    rank = 0
    while not mask >> rank & 1:
        rank += 1
    return rank


@njit
def paired_low_nb(once, twice, thrice):
    """Best low of 5 to 7 cards with fewer than five ranks (L2).

    once, twice, thrice: masks of the ranks held at least one, two and three times.
    """
    n_ranks = 0
    for r in range(13):
        n_ranks += once >> r & 1
    if n_ranks == 4:
        pair = _lowest_rank_nb(twice)
        return _PAIR_0 + pair * 220 + _colex_without_nb(once & ~(1 << pair), 1 << pair)
    if n_ranks == 3:
        first = _lowest_rank_nb(twice)
        rest = twice & ~(1 << first)
        if rest:
            pairs = 1 << first | 1 << _lowest_rank_nb(rest)
            return _TWO_PAIR_0 + _colex_without_nb(pairs, 0) * 11 + _colex_without_nb(once & ~pairs, pairs)
        return _TRIPS_0 + first * 66 + _colex_without_nb(once & ~(1 << first), 1 << first)
    for trips in range(13):  # two ranks: the lowest trips that leave a pair of the other
        if thrice >> trips & 1 and twice & ~(1 << trips):
            return _FULL_0 + trips * 12 + _colex_without_nb(once & ~(1 << trips), 1 << trips)
    quads = _lowest_rank_nb(twice)
    return _QUADS_0 + quads * 12 + _colex_without_nb(once & ~(1 << quads), 1 << quads)


@njit
def low_nb(unpaired, cards, n_cards):
    """Best low of cards[:n_cards] (codes, 5 to 7 of them); unpaired is the game's table of masks."""
    once, twice, thrice = 0, 0, 0
    for i in range(n_cards):
        bit = 1 << (np.int64(cards[i]) >> 2)
        thrice |= twice & bit
        twice |= once & bit
        once |= bit
    low = np.int64(unpaired[once])
    return low if low != NEEDS_PAIR else paired_low_nb(once, twice, thrice)


def low_class(low: int) -> int:
    """UNPAIRED .. QUADS of a low."""
    return max(i for i, first in enumerate(FIRST_OF_CLASS) if low >= first)


def low_ranks(low: int) -> str:
    """The five ranks of a low, those that decide first in front: `86432`, `99AKQ`."""
    kind = low_class(low)
    rest = low - FIRST_OF_CLASS[kind]
    if kind == UNPAIRED:
        return _ranks_text(_from_colex(rest, 5, []))
    if kind == TWO_PAIR:
        pairs = _from_colex(rest // 11, 2, [])
        return "".join(RANKS[r] * 2 for r in pairs) + _ranks_text(_from_colex(rest % 11, 1, pairs))
    copies = {PAIR: 2, TRIPS: 3, FULL_HOUSE: 3, QUADS: 4}[kind]
    n_kickers = {PAIR: 3, TRIPS: 2, FULL_HOUSE: 1, QUADS: 1}[kind]
    many, number = divmod(rest, comb(12, n_kickers))
    kickers = _from_colex(number, n_kickers, [many])
    return RANKS[many] * copies + _ranks_text(kickers) * (2 if kind == FULL_HOUSE else 1)


def low_text(low: int) -> str:
    """How players write a low: `8-6-4-3-2`."""
    return "-".join(low_ranks(low))


def _from_colex(number: int, size: int, skipped: list[int]) -> list[int]:
    """Ranks, highest first, of the number-th set of that size among the ranks not skipped."""
    available = [rank for rank in range(13) if rank not in skipped]
    ranks = []
    for k in range(size, 0, -1):
        index = max(i for i in range(len(available)) if comb(i, k) <= number)
        number -= comb(index, k)
        ranks.append(available[index])
    return ranks


def _ranks_text(ranks: list[int]) -> str:
    return "".join(RANKS[rank] for rank in ranks)
