"""Counters of the kernel as rows of a chunk's blocks: what was counted, with the totals that people ask for."""

import numpy as np

from razzsim.engine import tally as t
from razzsim.sums import BLOCKS, Int64s


def counter_blocks(tally: np.void, n_places: int, n_seats: int) -> dict[str, Int64s]:
    """Blocks behaviour, positions, start_hands and top_pots of a line-up of n_places entrants; tally: TALLY_DTYPE."""
    blocks = {
        "behaviour": _behaviour(tally["behaviour"][:n_places, :n_seats]),
        "positions": _nonzero(tally["positions"][:n_places], t.HANDS, offsets=(0, -1)),
        "start_hands": _nonzero(tally["start_hands"][:n_places], 0, offsets=(0, 0)),
        "top_pots": tally["top_pots"][: int(tally["n_top_pots"])],
    }
    assert all(block.shape[1] == len(BLOCKS[name]) for name, block in blocks.items())
    return blocks


def _behaviour(counted: Int64s) -> Int64s:
    """counted: int64[places, seats, streets, kinds]. A hand that ended on a street has seen all before it too."""
    ends = counted[..., t.ENDED :]
    saw = ends[:, :, ::-1].cumsum(axis=2)[:, :, ::-1]
    kinds = {kind: counted[..., kind] for kind in (t.FOLDS, t.CHECKS, t.CALLS, t.BRING_INS, t.BETS, t.RAISES)}
    columns = np.stack(
        [
            saw[..., 0],
            kinds[t.FOLDS],
            kinds[t.CHECKS],
            kinds[t.CALLS] + kinds[t.BRING_INS],
            kinds[t.BETS] + kinds[t.RAISES],
            kinds[t.BRING_INS],
            kinds[t.BETS],
            *(saw[..., k] for k in range(1, 5)),
        ],
        axis=-1,
    )
    return _nonzero(columns, 0, offsets=(0, 0, 3))


def _nonzero(counted: Int64s, column: int, offsets: tuple[int, ...]) -> Int64s:
    """Rows (indices + offsets, values) of int64[.., n_columns] where `column` is not zero."""
    where = np.nonzero(counted[..., column])
    keys = [index + offset for index, offset in zip(where, offsets, strict=True)]
    return np.column_stack([*keys, counted[where]])
