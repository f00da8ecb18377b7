"""Random numbers as a function of what they are for: Philox4x32-10, counter based.

Key = (seed low, seed high); counter = (purpose << 24 | block, sub, id low, domain << 24 | id high).
No state is shared: any worker can make any deal's numbers in any order.
A deal's dice are numbers of one SplitMix64 sequence, whose start is a Philox block.
Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011); bounded draws without
bias by multiplication: Lemire, arXiv 1805.10941.
"""

import numpy as np
from numba import njit

from razzsim.engine.jit import inlined, inner

CARDS, SEATING, DICE, EVENT_DRAWS = 1, 2, 3, 4
"""purpose: what the numbers decide."""
RUN, PILOT, VALUE_TRAINING, BENCH, EQUITY = 0, 1, 2, 3, 4
"""domain: which undertaking they belong to, so that a pilot never sees an experiment's deals."""

_M0, _M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_W0, _W1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
_GOLDEN, _MIX_1, _MIX_2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_LOW32, _32 = np.uint64(0xFFFFFFFF), np.uint64(32)


@njit(forceinline=True)
def philox_nb(c0, c1, c2, c3, k0, k1):
    """Four 32-bit words (held in uint64) from a counter of four words and a key of two."""
    for _ in range(10):
        p0, p1 = _M0 * c0, _M1 * c2
        c0, c2 = (p1 >> _32) ^ c1 ^ k0, (p0 >> _32) ^ c3 ^ k1
        c1, c3 = p1 & _LOW32, p0 & _LOW32
        k0, k1 = (k0 + _W0) & _LOW32, (k1 + _W1) & _LOW32
    return c0, c1, c2, c3


@inlined
def block_nb(seed, domain, purpose, sub, deal, block):
    """The four words of one block of the stream (seed, domain, purpose, sub, deal)."""
    seed_u, deal_u = np.uint64(seed), np.uint64(deal)
    return philox_nb(
        np.uint64(purpose << 24 | block),
        np.uint64(sub),
        deal_u & _LOW32,
        np.uint64(domain << 24) | (deal_u >> _32),
        seed_u & _LOW32,
        seed_u >> _32,
    )


@inner
def fill_blocks_nb(words, n_blocks, seed, domain, purpose, deal, block):
    """Blocks block.. of the stream (seed, domain, purpose, 0, deal) into words[word of its block, block], uint64[4, n].

    LLVM makes vector code of this loop (0.9 ns a word, 4.2 for one block at a time) as long as it cannot see how
    short it is: n_blocks has to be a variable, or the loop is unrolled into scalar code before.
    """
    seed_u, deal_u = np.uint64(seed), np.uint64(deal)
    c0, c2, c3 = np.uint64(purpose << 24 | block), deal_u & _LOW32, np.uint64(domain << 24) | (deal_u >> _32)
    k0, k1 = seed_u & _LOW32, seed_u >> _32
    for b in range(n_blocks):
        words[0, b], words[1, b], words[2, b], words[3, b] = philox_nb(c0 + np.uint64(b), np.uint64(0), c2, c3, k0, k1)


@njit(forceinline=True)
def bounded_nb(word, bound):
    """A number in 0..bound-1 from one word, or -1 when this word must be skipped to stay unbiased."""
    bound_u = np.uint64(bound)
    product = np.uint64(word) * bound_u
    low = product & _LOW32
    if low < bound_u and low < (_LOW32 + np.uint64(1)) % bound_u:
        return np.int64(-1)
    return np.int64(product >> _32)


@inner
def dice_key_nb(seed, domain, deal):
    """64 bits from which all dice of a deal are made."""
    w0, w1, _, _ = block_nb(seed, domain, DICE, 0, deal, 0)
    return w0 | w1 << _32


@njit(forceinline=True)
def mix_nb(key, n):
    """The n-th number of the SplitMix64 sequence that starts at key (Steele, Lea, Flood 2014); n = 1, 2, .."""
    z = key + np.uint64(n) * _GOLDEN
    z = (z ^ (z >> np.uint64(30))) * _MIX_1
    z = (z ^ (z >> np.uint64(27))) * _MIX_2
    return z ^ (z >> np.uint64(31))


@njit(forceinline=True)
def dice_nb(key, seat, street, decision):
    """The 64 random bits a strategy gets for one decision; the same in every rotation of the deal.

    One Philox block a deal and a few instructions a decision. A block for each decision takes six-handed play 1.04
    times as long when one strategy of six wants dice, and 1.27 times when all do.
    """
    return mix_nb(key, 1 + (seat << 16 | street << 8 | min(decision, 255)))


@njit
def shuffle_nb(seed, domain, purpose, deal, items, n):
    """Fisher-Yates from the front over items[:n], driven by the stream (seed, domain, purpose, 0, deal)."""
    words = block_nb(seed, domain, purpose, 0, deal, 0)
    block, at, i = 0, 0, 0
    while i < n - 1:
        if at == 4:
            block, at = block + 1, 0
            words = block_nb(seed, domain, purpose, 0, deal, block)
        word = words[at]
        at += 1
        j = bounded_nb(word, n - i)
        if j >= 0:
            items[i], items[i + j] = items[i + j], items[i]
            i += 1
