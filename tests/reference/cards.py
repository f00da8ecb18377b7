"""Cards of the reference engine.

Code = rank * 4 + suit, rank 0 = ace .. 12 = king, suit 0 c, 1 d, 2 h, 3 s, as in
design/interfaces.md, section 3. Nothing here is fast and nothing needs to be.
"""

from collections.abc import Iterable

RANKS = "A23456789TJQK"
SUITS = "cdhs"  # B2: clubs < diamonds < hearts < spades
RAZZ = "razz"
DEUCE = "deuce_to_seven_razz"
GAMES = (RAZZ, DEUCE)


def card(text: str) -> int:
    """Code of one card: "As" -> 3, "2c" -> 4, "Ks" -> 51."""
    if len(text) != 2 or text[0] not in RANKS or text[1] not in SUITS:
        raise ValueError(f"not a card: {text!r}")
    return RANKS.index(text[0]) * 4 + SUITS.index(text[1])


def cards(text: str) -> list[int]:
    """Codes of several cards, with or without blanks: "Ah2c 3d"."""
    packed = "".join(text.split())
    return [card(packed[i : i + 2]) for i in range(0, len(packed), 2)]


def card_text(code: int) -> str:
    """Text of one card code."""
    return RANKS[code // 4] + SUITS[code % 4]


def cards_text(codes: Iterable[int]) -> str:
    """Text of several card codes, separated by blanks."""
    return " ".join(card_text(code) for code in codes)


def suit(code: int) -> int:
    """0 clubs, 1 diamonds, 2 hearts, 3 spades (B2)."""
    return code % 4


def rank_value(code: int, game: str) -> int:
    """Rank as a number that grows with the card's height.

    Razz: ace 1 .. king 13 (L1). Deuce-to-seven: deuce 2 .. ace 14 (G1).
    """
    value = code // 4 + 1
    if game == DEUCE and value == 1:
        return 14
    return value


def door_height(code: int, game: str) -> tuple[int, int]:
    """Order of door cards for the bring-in: rank first, then suit (B2, G1); the largest owes it."""
    return rank_value(code, game), suit(code)


def stacked_deck(seat_cards: Iterable[str], spare: str = "") -> list[int]:
    """A 52-card slot list in which each seat gets the cards named, in deal order.

    Each text names at most seven cards of one seat (two down, door, fourth, fifth, sixth, seventh);
    "--" leaves a slot open. `spare` fills slots from 48 on (eight seats). Open slots are filled
    with the cards not named, in code order.
    """
    hands = [hand.split() for hand in seat_cards]
    seats = len(hands)
    slots: list[int | None] = [None] * 52
    for seat, hand in enumerate(hands):
        for card_no, text in enumerate(hand):
            if text != "--":
                slots[card_no * seats + seat] = card(text)
    for i, code in enumerate(cards(spare)):
        slots[48 + i] = code
    named = [code for code in slots if code is not None]
    if len(set(named)) != len(named):
        raise ValueError("a card is named twice")
    rest = iter(code for code in range(52) if code not in named)
    return [next(rest) if code is None else code for code in slots]


def exhaustion_before_seventh(rule: str, undealt: int, live: int) -> str:
    """X1, X2: normal | community | scramble | community_scramble, with `undealt` cards left.

    Burns of fourth to sixth are counted, not drawn: the stub is what is undealt less three.
    """
    if rule == "community_card":
        return "community" if undealt < live else "normal"
    burns = 3
    stub, need = undealt - burns, live + 2
    if stub >= need:
        return "normal"
    if stub + burns >= need:
        return "scramble"
    return "community" if stub >= 3 else "community_scramble"
