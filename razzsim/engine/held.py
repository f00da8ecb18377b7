"""A seat's cards packed into one number: byte k is the k-th dealt, 255 when it is not dealt or hidden.

So a view gets its cards by one store.
"""

import numpy as np

from razzsim.engine.cards import NO_CARD
from razzsim.engine.jit import inlined, inner

NONE_HELD = np.uint64(2**64 - 1)
"""No cards."""


@inlined
def held_card_nb(held, k):
    """The k-th card (0..6) of a packed hand."""
    return np.int64(held >> np.uint64(8 * k) & np.uint64(NO_CARD))


@inlined
def hold_card_nb(held, k, card):
    """The packed hand with `card` as its k-th, which was not dealt yet."""
    return held & ~(np.uint64(NO_CARD ^ card) << np.uint64(8 * k))


@inner
def pack_nb(cards):
    """(mask of ranks, packed hand) of up to seven card codes."""
    ranks, held = 0, NONE_HELD
    for k in range(len(cards)):
        ranks |= 1 << (np.int64(cards[k]) >> 2)
        held = hold_card_nb(held, k, cards[k])
    return ranks, held
