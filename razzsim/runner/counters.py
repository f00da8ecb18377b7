"""Counters of the kernel as rows of a chunk's blocks: what was counted, with the totals that people ask for."""

import numpy as np

from razzsim.engine import tally as t
from razzsim.sums import BLOCKS, Int64s


def counter_blocks(tally: np.void, n_places: int, n_seats: int) -> dict[str, Int64s]:
    """Blocks behaviour, positions, start_hands and top_pots of a line-up of n_places entrants; tally: TALLY_DTYPE."""
    of = slice(n_places)
    ends = tally["ends"][of, :n_seats, : t.FOLDED_ON_THIRD + 1, : n_seats + 1]
    blocks = {
        "behaviour": _behaviour(tally["decisions"][of, :n_seats, :5], ends.sum(axis=3)),
        "positions": _positions(ends, tally["steals"][of, : n_seats + 1]),
        "start_hands": _start_hands(tally["start_hands"][of]),
        "top_pots": tally["top_pots"][: int(tally["n_top_pots"])],
    }
    assert all(block.shape[1] == len(BLOCKS[name]) for name, block in blocks.items())
    return blocks


def _behaviour(decisions: np.ndarray, ends: Int64s) -> Int64s:
    """decisions: [places, seats, streets, kinds]; ends: [places, seats, streets, shown + 2 * won, (hands, chips)]."""
    saw = ends[:, :, t.FOLDED_ON_THIRD - 1 :: -1].cumsum(axis=2)[:, :, ::-1]  # who ended on a street saw all before it
    saw[:, :, 0] += ends[:, :, t.FOLDED_ON_THIRD]
    hands, n = saw[..., 0], decisions.astype(np.int64)
    columns = [
        hands.sum(axis=-1),
        n[..., t.FOLDS],
        n[..., t.CHECKS],
        n[..., t.CALLS] + n[..., t.BRING_INS],
        n[..., t.BETS] + n[..., t.RAISES],
        n[..., t.BRING_INS],
        n[..., t.BETS],
        hands[..., _SHOWN] + hands[..., _SHOWN_WON],
        hands[..., _WON] + hands[..., _SHOWN_WON],
        hands[..., _SHOWN_WON],
        saw[..., 1].sum(axis=-1),
    ]
    return _rows(columns, offsets=(0, 0, 3))


_SHOWN, _WON, _SHOWN_WON = 1, 2, 3


def _positions(ends: Int64s, steals: Int64s) -> Int64s:
    """ends: [places, seats, streets, positions, shown + 2 * won, (hands, chips)]; steals: [places, positions, ..]."""
    by_position = ends.sum(axis=(1, 2, 4))
    hands = by_position[..., 0]
    folded = ends[:, :, t.FOLDED_ON_THIRD, ..., 0].sum(axis=(1, 3))
    columns = [hands, hands - folded, by_position[..., 1], *np.moveaxis(steals[..., : t.DEFENDED + 1], -1, 0)]
    return _rows(columns, offsets=(0, -1))


def _start_hands(counted: Int64s) -> Int64s:
    """counted: [places, classes, folded on third, (hands, chips)]."""
    hands = counted.sum(axis=2)
    return _rows([hands[..., 0], counted[..., 0, 0], hands[..., 1]], offsets=(0, 0))


def _rows(columns: list[Int64s], offsets: tuple[int, ...]) -> Int64s:
    """Rows (indices + offsets, values of the columns) where the first column is not zero."""
    where = np.nonzero(columns[0])
    keys = [index + offset for index, offset in zip(where, offsets, strict=True)]
    return np.column_stack([*keys, *(column[where] for column in columns)])
