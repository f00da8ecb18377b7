"""Counters of several chunks are added up as if one by one, in plain Python."""

import itertools
import random
from collections import defaultdict

import numpy as np
import pytest

from razzsim import sums
from razzsim.store.committed import CommittedChunk, Unpacked, counted

PLACES = {0: [4, 9], 7: [1, 2]}
KEYS = {
    "behaviour": (range(2), range(8), range(3, 8)),
    "positions": (range(2), range(-1, 8)),  # -1: nobody owed the bring-in
    "start_hands": (range(2), range(455)),
}


def of_line_up(line_up: int, blocks: dict[str, sums.Int64s]) -> Unpacked:
    header = dict.fromkeys(sums.HEADER, 1) | {"line_up": line_up}
    empty = {name: np.zeros((0, len(columns)), np.int64) for name, columns in sums.BLOCKS.items()}
    return Unpacked.of(CommittedChunk(sums.pack(header, {**empty, **blocks}), "w", 1))


SHARES = {
    "different keys, the second of line-up 0 has none": (0.7, 0.7, 0.0, 0.7),
    "the same keys": (1.0, 0.7, 1.0, 1.0),
    "the same keys twice, and others": (1.0, 0.7, 1.0, 0.7),
}
"""By chunk: the share of keys it has met."""


@pytest.mark.parametrize("shares", SHARES.values(), ids=SHARES)
@pytest.mark.parametrize("block", KEYS)
def test_counters_are_added_up_by_line_up(block: str, shares: tuple[float, ...]) -> None:
    draw = random.Random(block)
    n_values = len(sums.BLOCKS[block]) - len(KEYS[block])
    chunks, expected = [], defaultdict(lambda: [0] * n_values)
    for line_up, share in zip((0, 7, 0, 0), shares, strict=True):
        rows = []
        for key in itertools.product(*KEYS[block]):
            if draw.random() < share:
                values = [draw.randrange(-(1 << 60), 1 << 60) for _ in range(n_values)]
                rows.append([*key, *values])
                known = expected[line_up, PLACES[line_up][key[0]], *key[1:]]
                known[:] = [x + y for x, y in zip(known, values, strict=True)]
        shape = (len(rows), len(sums.BLOCKS[block]))
        chunks.append(of_line_up(line_up, {block: np.array(rows, np.int64).reshape(shape)}))
    n_keys = 1 + len(KEYS[block])
    found = {
        tuple(row.values())[:n_keys]: list(row.values())[n_keys:] for row in counted(block, chunks, PLACES).to_pylist()
    }
    assert found == expected
    assert len(expected) > 20


@pytest.mark.parametrize("block", KEYS)
def test_chunks_without_rows_add_nothing(block: str) -> None:
    assert counted(block, [of_line_up(0, {}), of_line_up(0, {})], PLACES).num_rows == 0
