"""Cards as small integers: code = rank * 4 + suit; rank 0 = ace .. 12 = king; suit 0 c, 1 d, 2 h, 3 s.

For Razz the highest code among the door cards owes the bring-in (rule B2). 255 is "none or hidden".
"""

from collections.abc import Iterable

import numpy as np
from numba import njit

from razzsim.engine.bits import inlined

RANKS = "A23456789TJQK"
SUITS = "cdhs"
N_CARDS = 52
NO_CARD = 255
NONE_HELD = np.uint64(2**64 - 1)
"""A seat's cards packed into one number: byte k is the k-th dealt, 255 not dealt or hidden. This is none."""


@inlined
def held_card_nb(held, k):
    """The k-th card (0..6) of a packed hand."""
    return np.int64(held >> np.uint64(8 * k) & np.uint64(NO_CARD))


@inlined
def hold_card_nb(held, k, card):
    """The packed hand with `card` as its k-th, which was not dealt yet."""
    return held & ~(np.uint64(NO_CARD ^ card) << np.uint64(8 * k))


@njit
def pack_nb(cards):
    """(mask of ranks, packed hand) of up to seven card codes."""
    ranks, held = 0, NONE_HELD
    for k in range(len(cards)):
        ranks |= 1 << (np.int64(cards[k]) >> 2)
        held = hold_card_nb(held, k, cards[k])
    return ranks, held


def card_text(code: int) -> str:
    """`0` -> `Ac`; 255 -> `??`."""
    if code == NO_CARD:
        return "??"
    return RANKS[code >> 2] + SUITS[code & 3]


def parse_card(text: str) -> int:
    """`As` -> 3. Raises ValueError for anything that is not one card."""
    if len(text) == 2 and text[0] in RANKS and text[1] in SUITS:
        return RANKS.index(text[0]) * 4 + SUITS.index(text[1])
    raise ValueError(f"{text!r} is not a card: a rank of {RANKS} and a suit of {SUITS}, such as As or Td")


def parse_cards(text: str) -> list[int]:
    """`AhKd` or `Ah Kd` -> codes, in order. Raises ValueError for bad or repeated cards."""
    packed = "".join(text.split())
    codes = [parse_card(packed[i : i + 2]) for i in range(0, len(packed), 2)]
    if len(set(codes)) != len(codes):
        raise ValueError(f"{text!r} has the same card twice")
    return codes


def cards_text(codes: Iterable[int]) -> str:
    """Codes as text, separated by spaces."""
    return " ".join(card_text(code) for code in codes)
