"""Cards as small integers: code = rank * 4 + suit; rank 0 = ace .. 12 = king; suit 0 c, 1 d, 2 h, 3 s.

For Razz the highest code among the door cards owes the bring-in (rule B2). 255 is "none or hidden".
"""

from collections.abc import Iterable

RANKS = "A23456789TJQK"
SUITS = "cdhs"
N_CARDS = 52
NO_CARD = 255


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
