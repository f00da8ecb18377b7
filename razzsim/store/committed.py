"""Chunks that came back, as rows and sums of the result's tables."""

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


def block_rows(block: str, chunks: Sequence[Unpacked], places: Places) -> pa.Table:
    """The chunks' rows of a block with their line-up, and the entrant for its place."""
    values = np.concatenate([told.blocks[block] for told in chunks])
    lengths = [len(told.blocks[block]) for told in chunks]
    columns = {"line_up": np.repeat([told.line_up for told in chunks], lengths)}
    for i, name in enumerate(sums.BLOCKS[block]):
        if name == "place":
            entrants = [np.array(places[told.line_up])[told.blocks[block][:, i]] for told in chunks]
            columns["entrant"] = np.concatenate(entrants)
        else:
            columns[name] = np.ascontiguousarray(values[:, i])
    return pa.table(columns)
