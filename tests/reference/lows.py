"""Lows by counting and sorting, best five of up to seven by trying every subset (L1-L4, G1).

A key is (class number, ranks by group); the smaller key is the better low. No tables of hands and
no bit tricks, so that a fast evaluator shares no idea with this one.
"""

from collections.abc import Sequence
from itertools import combinations

from tests.reference.cards import DEUCE, RAZZ, rank_value, suit

LowKey = tuple[int, tuple[int, ...]]

# Best class first: L2 for A-5; G1: the high hands of poker, the worst of them the best low.
CLASSES = {
    RAZZ: ("no pair", "one pair", "two pair", "trips", "full house", "quads"),
    DEUCE: (
        "no pair",
        "one pair",
        "two pair",
        "trips",
        "straight",
        "flush",
        "full house",
        "quads",
        "straight flush",
    ),
}

SHAPES = {  # group sizes, largest first -> name
    (1, 1, 1, 1, 1): "no pair",
    (2, 1, 1, 1): "one pair",
    (2, 2, 1): "two pair",
    (3, 1, 1): "trips",
    (3, 2): "full house",
    (4, 1): "quads",
}

# B5: none < pair < two pair < trips < quads. The shapes of one to four exposed cards.
EXPOSED_CLASS = {
    (1,): 0,
    (1, 1): 0,
    (1, 1, 1): 0,
    (1, 1, 1, 1): 0,
    (2,): 1,
    (2, 1): 1,
    (2, 1, 1): 1,
    (2, 2): 2,
    (3,): 3,
    (3, 1): 3,
    (4,): 4,
}


def groups(values: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Sizes and ranks of the groups of equal ranks: larger groups first, then higher ranks (L2).

    [7, 2, 7, 5, 2] -> ((2, 2, 1), (7, 2, 5)).
    """
    counted = sorted(((values.count(value), value) for value in set(values)), reverse=True)
    return tuple(size for size, _ in counted), tuple(value for _, value in counted)


def is_straight(values: Sequence[int]) -> bool:
    """G1: five consecutive ranks with the ace high only, so A-2-3-4-5 (14, 2..5) is none."""
    ordered = sorted(values)
    return ordered == list(range(ordered[0], ordered[0] + 5))


def is_flush(cards: Sequence[int]) -> bool:
    """All cards of one suit."""
    return len({suit(code) for code in cards}) == 1


def five_class(cards: Sequence[int], game: str) -> str:
    """Name of the class of exactly five cards (L2; G1 adds straights and flushes)."""
    values = [rank_value(code, game) for code in cards]
    name = SHAPES[groups(values)[0]]
    if game == RAZZ or name != "no pair":
        return name
    straight, flush = is_straight(values), is_flush(cards)
    if straight and flush:
        return "straight flush"
    if straight:
        return "straight"
    return "flush" if flush else "no pair"


def five_key(cards: Sequence[int], game: str = RAZZ) -> LowKey:
    """Key of exactly five cards; smaller is better."""
    if len(cards) != 5:
        raise ValueError(f"five cards, not {len(cards)}")
    values = [rank_value(code, game) for code in cards]
    return CLASSES[game].index(five_class(cards, game)), groups(values)[1]


def best_low(cards: Sequence[int], game: str = RAZZ) -> LowKey:
    """Key of the best five of five to seven cards (L1, G1)."""
    return min(five_key(five, game) for five in combinations(cards, 5))


def ace_to_five(cards: Sequence[int]) -> LowKey:
    """A-5 low of five to seven cards (L1-L3)."""
    return best_low(cards, RAZZ)


def deuce_to_seven(cards: Sequence[int]) -> LowKey:
    """Deuce-to-seven low of five to seven cards (G1)."""
    return best_low(cards, DEUCE)


def class_name(key: LowKey, game: str = RAZZ) -> str:
    """Name of the class of a key."""
    return CLASSES[game][key[0]]


def best_fives(cards: Sequence[int], game: str = RAZZ) -> list[tuple[int, ...]]:
    """Every five of the cards that make the best low (several if ranks repeat); used by P7."""
    best = best_low(cards, game)
    return [five for five in combinations(cards, 5) if five_key(five, game) == best]


def suits_from_top(cards: Sequence[int], game: str = RAZZ) -> tuple[int, ...]:
    """P7 `high_card_by_suit`: suits of the low from the top card down, the seat's best choice.

    The larger tuple gets the odd chip first. A card two seats share is equal in both tuples.
    """

    def top_down(five: tuple[int, ...]) -> tuple[int, ...]:
        ordered = sorted(five, key=lambda code: (rank_value(code, game), suit(code)), reverse=True)
        return tuple(suit(code) for code in ordered)

    return max(top_down(five) for five in best_fives(cards, game))


def suits_from_bottom(cards: Sequence[int], game: str = RAZZ) -> tuple[int, ...]:
    """P7 `low_card_by_suit`: suits from the bottom card up; the smaller tuple comes first."""

    def bottom_up(five: tuple[int, ...]) -> tuple[int, ...]:
        ordered = sorted(five, key=lambda code: (rank_value(code, game), suit(code)))
        return tuple(suit(code) for code in ordered)

    return min(bottom_up(five) for five in best_fives(cards, game))


def exposed_key(up: Sequence[int], game: str = RAZZ) -> LowKey:
    """Order of exposed hands of one to four cards, smaller is lower and opens (B5, G1).

    No straights or flushes in either game; the ace is high in deuce-to-seven.
    """
    sizes, ranks = groups([rank_value(code, game) for code in up])
    return EXPOSED_CLASS[sizes], ranks


def top_suit(up: Sequence[int], game: str = RAZZ) -> int:
    """B6 `high_suit`: suit of the highest-ranked exposed card, its best if that rank is paired."""
    return max((rank_value(code, game), suit(code)) for code in up)[1]
