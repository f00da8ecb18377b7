"""Proves that the bit instructions say what plain Python says, compiled and not."""

import random

from numba import njit

from razzsim.engine.bits import lowest_bit, n_bits


@njit
def compiled(mask):
    return n_bits(mask), lowest_bit(mask)


def test_counts_and_places_of_bits() -> None:
    draw = random.Random(1)
    for mask in [0, 1, 1 << 62, *(draw.getrandbits(draw.randint(1, 62)) for _ in range(300))]:
        text = f"{mask:b}"
        expected = (text.count("1"), text[::-1].find("1") if mask else 64)
        assert (n_bits(mask), lowest_bit(mask)) == compiled(mask) == expected
