"""Random streams, bit by bit: Philox, bounded draws, decks, seating and dice (design contract, section 3).

Authority: Random123's known-answer vectors, Lemire's thresholds, and `Naive*` below: Philox4x32-10 and Fisher-Yates
in plain Python. Golden files hold what this slow twin computes; engine, twin and file must agree. To renew
the golden file (only with a new ENGINE_VERSION): python -m tests.engine.test_streams
"""

import json
from collections.abc import Callable, Iterator
from itertools import combinations, count
from pathlib import Path

import numpy as np
import pytest
from numba import njit

from razzsim.engine import streams
from razzsim.engine.dealing import draw_nb, start_deal_nb
from razzsim.engine.hand import deck
from razzsim.engine.hand import dice as engine_dice
from razzsim.engine.state import BLOCKS_AHEAD, DECK_DTYPE

GOLDEN = Path(__file__).parent.parent / "golden" / "decks.json"
SEEDS, DEALS = (0, 1, 2**63 - 1), (0, 1, 2**55)
CARDS, SEATING, DICE = 1, 2, 3
LOW32 = 0xFFFFFFFF

# ---- the slow twin --------------------------------------------------------------------------------


def naive_philox(counter: list[int], key: list[int]) -> list[int]:
    """Salmon et al. 2011, section 3: ten rounds of two 32 x 32 multiplications, the key bumped in between."""
    (c0, c1, c2, c3), (k0, k1) = counter, key
    for _ in range(10):
        high0, low0 = divmod(0xD2511F53 * c0, 2**32)
        high1, low1 = divmod(0xCD9E8D57 * c2, 2**32)
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
        k0, k1 = (k0 + 0x9E3779B9) % 2**32, (k1 + 0xBB67AE85) % 2**32
    return [c0, c1, c2, c3]


def naive_block(seed: int, domain: int, purpose: int, sub: int, number: int, block: int) -> list[int]:
    counter = [purpose << 24 | block, sub, number % 2**32, domain << 24 | number >> 32]
    return naive_philox(counter, [seed % 2**32, seed >> 32])


def naive_words(seed: int, domain: int, purpose: int, number: int) -> Iterator[int]:
    for block in count():
        yield from naive_block(seed, domain, purpose, 0, number, block)


def naive_shuffle(n: int, words: Iterator[int]) -> list[int]:
    """Fisher-Yates from the front; a word whose low product is below 2^32 mod bound is skipped."""
    items = list(range(n))
    for i in range(n - 1):
        bound = n - i
        high, low = divmod(next(words) * bound, 2**32)
        while low < 2**32 % bound:
            high, low = divmod(next(words) * bound, 2**32)
        items[i], items[i + high] = items[i + high], items[i]
    return items


def naive_dice(seed: int, number: int, seat: int, street: int, decision: int) -> int:
    """SplitMix64 (Steele, Lea, Flood 2014) from the deal's first DICE words, at the place of the decision."""
    words = naive_block(seed, 0, DICE, 0, number, 0)
    place = 1 + (seat << 16 | street << 8 | min(decision, 255))
    z = (words[0] + words[1] * 2**32 + place * 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    return z ^ z >> 31


def naive_golden() -> dict[str, dict[str, object]]:
    """Everything in the golden file, computed by the twin."""
    pairs = [(seed, deal) for seed in SEEDS for deal in DEALS]
    return {
        "decks": {f"{s} {d}": naive_shuffle(52, naive_words(s, 0, CARDS, d)) for s, d in pairs},
        "seating": {
            f"{s} {d}": [naive_shuffle(n, naive_words(s, 0, SEATING, d)) for n in range(2, 9)] for s, d in pairs
        },
        "dice": {f"{s} {d}": [naive_dice(s, d, *where) for where in DICE_AT] for s, d in pairs},
    }


DICE_AT = [(0, 3, 0), (7, 3, 0), (0, 7, 0), (5, 4, 1), (2, 6, 255), (2, 6, 300)]
"""seat, street, decision"""

# ---- the engine -----------------------------------------------------------------------------------


@njit
def seating_nb(seed, deal, items):
    streams.shuffle_nb(seed, 0, streams.SEATING, deal, items, len(items))


@njit
def many_decks_nb(seed, domain, first_deal, records, decks):
    for i in range(len(decks)):
        start_deal_nb(records[0], seed, domain, first_deal + i)
        draw_nb(records[0], 52)
        decks[i] = records[0].cards


@njit
def draw_in_parts_nb(seed, deal, records, parts):
    start_deal_nb(records[0], seed, 0, deal)
    for n_slots in parts:
        draw_nb(records[0], n_slots)


def deck_record() -> np.ndarray:
    record = np.zeros(1, DECK_DTYPE)
    record["n_ahead"] = BLOCKS_AHEAD
    return record


def decks_of(seed: int, first_deal: int, n: int, domain: int = 0) -> np.ndarray:
    decks = np.zeros((n, 52), np.uint8)
    many_decks_nb(seed, domain, first_deal, deck_record(), decks)
    return decks


@pytest.mark.parametrize(
    ("counter", "key", "expected"),
    [
        ("0 0 0 0", "0 0", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
    ],
)
def test_philox_known_answers(counter: str, key: str, expected: str) -> None:
    def words(text: str) -> list[int]:
        return [int(word, 16) for word in text.split()]

    assert naive_philox(words(counter), words(key)) == words(expected)
    assert [int(word) for word in streams.philox_nb(*map(np.uint64, words(counter) + words(key)))] == words(expected)


@pytest.mark.parametrize(("bound", "threshold"), [(52, 48), (51, 1), (50, 46), (49, 39)])
def test_lemire_thresholds(bound: int, threshold: int) -> None:
    """Words on either side of the threshold, and the exact number of words that are skipped."""
    assert 2**32 % bound == threshold
    near = {high: -(-(high << 32) // bound) for high in range(bound)}  # the first word of each result
    skipped = 0
    for high, word in near.items():
        low = word * bound % 2**32
        assert low < bound
        expected = -1 if low < threshold else high
        assert streams.bounded_nb(np.uint64(word), bound) == expected
        assert streams.bounded_nb(np.uint64(word + 1), bound) == high, (
            "the next word is kept: its low product is >= bound"
        )
        skipped += expected == -1
    assert skipped == threshold, "2^32 - skipped is a multiple of bound, so every result has equally many words"
    assert streams.bounded_nb(np.uint64(LOW32), bound) == bound - 1
    assert streams.bounded_nb(np.uint64(0), bound) == -1


@pytest.mark.parametrize("bound", [1, 2, 4, 8, 16, 32])
def test_powers_of_two_skip_nothing(bound: int) -> None:
    assert streams.bounded_nb(np.uint64(0), bound) == 0
    assert streams.bounded_nb(np.uint64(LOW32), bound) == bound - 1


def engine_golden() -> dict[str, dict[str, object]]:
    """The same facts from the engine."""

    def seatings(seed: int, deal: int) -> list[list[int]]:
        tables = [np.arange(n) for n in range(2, 9)]
        for items in tables:
            seating_nb(seed, deal, items)
        return [items.tolist() for items in tables]

    def dice(seed: int, deal: int) -> list[int]:
        return [engine_dice(seed, deal, *where) for where in DICE_AT]

    makers: dict[str, Callable[[int, int], object]] = {"decks": deck, "seating": seatings, "dice": dice}
    return {
        name: {f"{seed} {deal}": make(seed, deal) for seed in SEEDS for deal in DEALS} for name, make in makers.items()
    }


@pytest.mark.parametrize("name", ["decks", "seating", "dice"])
def test_golden_values(name: str) -> None:
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert engine_golden()[name] == naive_golden()[name] == golden[name]


def test_dice_decision_saturates_and_tells_seats_streets_and_decisions_apart() -> None:
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))["dice"]
    for values in golden.values():
        assert values[-1] == values[-2]
        assert len(set(values)) == len(values) - 1
    assert max(max(values) for values in golden.values()) >= 2**63, "all 64 bits are used"


def test_G2_dice_of_neighbouring_decisions_are_independent() -> None:
    """Bits of dice of 2,000 deals at neighbouring places, against each other: no correlation of any pair of places.

    Each of the 64 x 2,000 bit pairs agrees with probability 1/2, so counts stray by 179 (one standard deviation).
    """
    places = [(0, 3, 0), (0, 3, 1), (0, 4, 0), (1, 3, 0), (7, 7, 255)]
    dice = np.array([[engine_dice(9, deal, *place) for place in places] for deal in range(2_000)], np.uint64)
    for a, b in combinations(range(len(places)), 2):
        agree = 128_000 - int(np.bitwise_count(dice[:, a] ^ dice[:, b]).sum())
        assert abs(agree - 64_000) < 5 * 179, (places[a], places[b])
    differ = np.bitwise_count(dice[1:] ^ dice[:-1]).sum(axis=0, dtype=np.int64)
    assert (abs(differ - 32 * 1_999) < 5 * 179).all(), "of one deal and the next"
    ones = np.unpackbits(np.ascontiguousarray(dice[:, :1]).view(np.uint8), axis=1).sum(axis=0, dtype=np.int64)
    assert (abs(ones - 1_000) < 5 * 22.4).all(), "every bit is as often 1 as 0"


def test_every_deck_is_a_permutation_and_domains_differ() -> None:
    decks = decks_of(5, 0, 5_000)
    assert (np.sort(decks, axis=1) == np.arange(52)).all()
    assert len({bytes(row) for row in decks}) == 5_000
    other = [decks_of(5, 0, 100, domain) for domain in range(5)]
    assert len({bytes(row) for rows in other for row in rows}) == 500


def test_rejected_words_are_met_and_skipped() -> None:
    """Twin and engine agree on the first 300 deals of another seed, and far beyond 2^32."""
    for first in (0, 2**32 - 50, 2**56 - 100):
        rows = decks_of(20_260_101, first, 100)
        for i in (*range(3), 49, 50, 51, 99):
            assert rows[i].tolist() == naive_shuffle(52, naive_words(20_260_101, 0, CARDS, first + i))


def test_cards_are_uniform_over_slots() -> None:
    """Chi-square of all 52 x 52 (slot, card) counts over 20,000 decks.

    Each count has variance N p (1 - p), so the mean is 52^2 x 51/52 = 2,652 exactly; fixed row and column sums leave
    51^2 degrees of freedom scaled by 52/51, so the standard deviation is 52/51 x sqrt(2 x 2,601) = 73.5. Five of
    them either way is about one fair shuffle in a million. Unfair ones fail by far: see the second assertion.
    """
    assert abs(chi_square(decks_of(7, 0, 20_000)) - 2_652) < 5 * 73.5
    draw = np.random.default_rng(1)
    naive = np.tile(np.arange(52, dtype=np.uint8), (20_000, 1))
    rows = np.arange(20_000)
    for i in range(52):
        j = draw.integers(0, 52, 20_000)
        naive[rows, i], naive[rows, j] = naive[rows, j], naive[rows, i].copy()
    assert chi_square(naive) > 10_000, "the well-known shuffle that takes any of 52 cards: about 15,800"


def chi_square(decks: np.ndarray) -> float:
    counts = np.array([np.bincount(decks[:, slot], minlength=52) for slot in range(52)])
    expected = len(decks) / 52
    return float(((counts - expected) ** 2 / expected).sum())


def test_lazily_drawn_decks_equal_fully_drawn_ones() -> None:
    record = deck_record()
    for deal in range(50):
        for parts in ((6, 8, 10, 12, 14), (18, 24, 30, 36, 42), (24, 32, 40, 48, 52), (1, 1, 3, 51, 52), (52,)):
            draw_in_parts_nb(3, deal, record, np.array(parts))
            n_slots = parts[-1]
            assert record["n_drawn"][0] == n_slots
            assert record["cards"][0, :n_slots].tolist() == deck(3, deal)[:n_slots]


if __name__ == "__main__":
    facts = naive_golden()
    lines = []
    for name, table in facts.items():
        rows = ",\n".join(f'"{key}": {value}' for key, value in table.items())
        lines.append(f'"{name}": {{\n{rows}\n}}')
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
