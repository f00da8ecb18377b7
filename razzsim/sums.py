"""The layout of what a worker sends back of a chunk: one int64 array of a header and blocks of rows."""

from collections.abc import Mapping
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

Int64s = npt.NDArray[np.int64]

WORD_BITS = 62
"""A square is high * 2^62 + low."""

N_TOP_POTS = 20
"""Biggest pots that a chunk tells of, and that a line-up keeps: the same, so that no other chunks could keep others."""

HEADER = ("line_up", "first_group", "n_groups", "n_hands", "n_decisions", "chunk_ns", "cpu_ns", "digest")
_TIMES = slice(HEADER.index("chunk_ns"), HEADER.index("digest"))
BLOCKS = {
    # One row an entrant of the line-up, in the order of LineUp.places.
    "entrants": ("n_hands", "n_nonzero", "net_chips", "net_sq_high", "net_sq_low", "n_faults"),
    # One row a pair of places a < b.
    "pairs": ("net_net_high", "net_net_low"),
    # Below, `place` is the entrant's place in the line-up, and rows without hands are left out.
    "behaviour": (
        *("place", "seat", "street"),
        *("n_seen", "n_fold", "n_check", "n_call", "n_raise", "n_bring_in", "n_bet"),
        *("n_showdown", "n_won", "n_showdown_won", "net_chips"),
    ),
    "positions": (
        *("place", "position", "n_hands", "n_played", "net_chips"),
        *("n_steal_chances", "n_steals", "n_steals_won", "n_steals_faced", "n_steals_defended"),
    ),
    "start_hands": ("place", "class", "n", "n_played", "net_chips"),
    "top_pots": ("deal", "rotation", "pot_chips"),
}
"""Blocks of rows with their columns; the names are those of records' tables and columns."""


def pack(header: Mapping[str, int], blocks: Mapping[str, Int64s]) -> Int64s:
    """One array; blocks: int64[n_rows, its columns] of every block, rows may be none. The digest is made here: of all
    but the times, row by row, so that the same chunk played again has the same one.
    """
    told = {**header, "digest": 0}
    head = np.array([told[name] for name in HEADER] + [len(blocks[name]) for name in BLOCKS], np.int64)
    timeless = head.copy()
    timeless[_TIMES] = 0
    rows = np.concatenate([timeless, *(blocks[name].ravel() for name in BLOCKS)])
    digest = blake2b(rows.tobytes(), digest_size=8).digest()
    head[HEADER.index("digest")] = int.from_bytes(digest, "little", signed=True)
    # Column after column: packs smaller, and two chunks are added in 20 us.
    return np.concatenate([head, *(blocks[name].T.ravel() for name in BLOCKS)])


def header_of(array: Int64s) -> dict[str, int]:
    """The header of a packed chunk."""
    return dict(zip(HEADER, array[: len(HEADER)].tolist(), strict=True))


def unpack(array: Int64s) -> dict[str, Int64s]:
    """The blocks of a packed chunk, as `pack` was given."""
    sizes = array[len(HEADER) : len(HEADER) + len(BLOCKS)].tolist()
    blocks, at = {}, len(HEADER) + len(BLOCKS)
    for (name, columns), n in zip(BLOCKS.items(), sizes, strict=True):
        end = at + n * len(columns)
        blocks[name] = array[at:end].reshape(len(columns), n).T
        at = end
    assert at == len(array), "a packed chunk ends with its last block"
    return blocks


def joined(high: int, low: int) -> int:
    """The number of two words of base 2^62."""
    return (int(high) << WORD_BITS) + int(low)
