"""Chunks that came back, as rows and sums of the result's tables."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from razzsim import sums
from razzsim.store.part import Part
from razzsim.store.worker import Worker

Places = Mapping[int, Sequence[int]]
"""By line-up: the entrant of every place in its sums."""
Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class CommittedChunk:
    """A chunk that came back: its sums as `sums.pack` made them, which worker, which try, its Parquet files.

    facts: of the worker, for the table `workers`.
    """

    sums: sums.Int64s
    worker: str
    attempt: int
    parts: Sequence[Part] = ()
    facts: Worker | None = None


@dataclass(frozen=True)
class Unpacked:
    """The same, readable."""

    chunk: CommittedChunk
    header: dict[str, int]
    blocks: dict[str, sums.Int64s]

    @classmethod
    def of(cls, chunk: CommittedChunk) -> "Unpacked":
        """Of a chunk that came back."""
        return cls(chunk, sums.header_of(chunk.sums), sums.unpack(chunk.sums))

    @property
    def line_up(self) -> int:
        """Number of the line-up."""
        return self.header["line_up"]

    @property
    def first(self) -> int:
        """Its first deal."""
        return self.header["first_group"]

    @property
    def end(self) -> int:
        """The first deal after it."""
        return self.first + self.header["n_groups"]


_PLAIN = ("line_up", "first_group", "n_groups", "n_hands", "n_decisions", "digest")


def chunk_rows(chunks: Iterable[Unpacked]) -> Rows:
    """Rows of `chunks`, without the run and the time."""
    return [
        {
            **{name: told.header[name] for name in _PLAIN},
            "chunk_s": told.header["chunk_ns"] / 1e9,
            "cpu_s": told.header["cpu_ns"] / 1e9,
            "worker": told.chunk.worker,
            "attempt": told.chunk.attempt,
        }
        for told in chunks
    ]


def summed(chunks: Iterable[Unpacked], places: Places, batch_groups: int) -> dict[str, Rows]:
    """Rows of `group_sums` and `group_cross`, without the run: one a batch that the chunks are of."""
    singles: dict[tuple[int, int, int], list[int]] = defaultdict(lambda: [0] * 5)
    cross: dict[tuple[int, int, int, int], int] = defaultdict(int)
    for told in chunks:
        batch, entrants = (told.line_up, told.first // batch_groups), places[told.line_up]
        for entrant, row in zip(entrants, told.blocks["entrants"].tolist(), strict=True):
            hands, nonzero, net, high, low, _ = row
            added = (told.header["n_groups"], hands, nonzero, net, sums.joined(high, low))
            key = (*batch, entrant)
            singles[key] = [x + y for x, y in zip(singles[key], added, strict=True)]
        both = [(a, b) for i, a in enumerate(entrants) for b in entrants[i + 1 :]]
        for (a, b), (high, low) in zip(both, told.blocks["pairs"].tolist(), strict=True):
            cross[(*batch, a, b)] += sums.joined(high, low)
    names = ("line_up", "batch", "entrant", "n_groups", "n_hands", "n_nonzero", "net_chips", "net_sq")
    pairs = ("line_up", "batch", "entrant_a", "entrant_b", "net_net")
    return {
        "group_sums": [dict(zip(names, (*key, *values), strict=True)) for key, values in singles.items()],
        "group_cross": [dict(zip(pairs, (*key, value), strict=True)) for key, value in cross.items()],
    }


def counted(block: str, chunks: Iterable[Unpacked], places: Places) -> pa.Table:
    """The chunks' rows of a block of counters, added up by line-up: left to DuckDB, a chunk took a fifth more CPU."""
    blocks: dict[int, list[sums.Int64s]] = defaultdict(list)
    for told in chunks:
        blocks[told.line_up].append(told.blocks[block])
    n_keys = sum(not is_counter(name) for name in sums.BLOCKS[block])
    return block_rows(block, [(line_up, _added(several, n_keys)) for line_up, several in blocks.items()], places)


def is_counter(column: str) -> bool:
    """Whether a column of a block is added up; the others say what is counted, and come first."""
    return column == "n" or column.startswith(("n_", "net_"))


def _added(blocks: Sequence[sums.Int64s], n_keys: int) -> sums.Int64s:
    """One block for several; blocks: rows of which no two have the same first n_keys columns, small numbers all.

    Chunks of a second have met everything there is: rows with the keys of the first one are added as they stand, in a
    twentieth of the time.
    """
    first, others = blocks[0], []
    total = first.copy(order="F")
    for block in blocks[1:]:
        if np.array_equal(block[:, :n_keys], first[:, :n_keys]):
            total[:, n_keys:] += block[:, n_keys:]
        else:
            others.append(block)
    return _added_by_key([total, *others], n_keys) if others else total


def _added_by_key(blocks: Sequence[sums.Int64s], n_keys: int) -> sums.Int64s:
    """The same of blocks whose keys differ."""
    keys = [np.concatenate([block[:, i] for block in blocks]) for i in range(n_keys)]
    least = [int(key.min()) for key in keys]
    extents = [int(key.max()) - low + 1 for key, low in zip(keys, least, strict=True)]
    at = np.ravel_multi_index([key - low for key, low in zip(keys, least, strict=True)], extents)
    # A column at a time: half of the time of rows.
    totals = np.zeros((blocks[0].shape[1] - n_keys, math.prod(extents)), np.int64)
    end = 0
    for block in blocks:
        here, end = at[end : end + len(block)], end + len(block)
        for total, values in zip(totals, block[:, n_keys:].T, strict=True):
            total[here] += values
    met = np.flatnonzero(np.bincount(at))
    met_keys = [key + low for key, low in zip(np.unravel_index(met, extents), least, strict=True)]
    return np.column_stack([*met_keys, *totals[:, met]])


def block_rows(block: str, rows: Sequence[tuple[int, sums.Int64s]], places: Places) -> pa.Table:
    """Rows of a block with their line-up, and the entrant for its place; rows: by line-up."""
    values = np.concatenate([of_one for _, of_one in rows])
    line_ups, lengths = [line_up for line_up, _ in rows], [len(of_one) for _, of_one in rows]
    columns = {"line_up": np.repeat(line_ups, lengths)}
    for i, name in enumerate(sums.BLOCKS[block]):
        if name == "place":
            columns["entrant"] = np.concatenate([np.array(places[line_up])[of_one[:, i]] for line_up, of_one in rows])
        else:
            columns[name] = np.ascontiguousarray(values[:, i])
    return pa.table(columns)
