"""Counters of the kernel as rows of a chunk's blocks: what was counted, with the totals that people ask for."""

import numpy as np

from razzsim.engine import tally as t
from razzsim.sums import BLOCKS, Int64s


def counter_blocks(tally: np.void, n_places: int, n_seats: int) -> dict[str, Int64s]:
    """Blocks behaviour, positions, start_hands and top_pots of a line-up of n_places entrants; tally: TALLY_DTYPE."""
    of = slice(n_places)
    positions, start_hands = tally["positions"][of, : n_seats + 1], tally["start_hands"][of]
    blocks = {
        "behaviour": _behaviour(tally["decisions"][of, :n_seats, :5], tally["ends"][of, :n_seats, :5]),
        "positions": _rows([*_both(positions, t.HANDS_PLAYED), *_words(positions, t.NET_THERE, 7)], offsets=(0, -1)),
        "start_hands": _rows([*_both(start_hands, 0), start_hands[..., 1]], offsets=(0, 0)),
        "top_pots": tally["top_pots"][: int(tally["n_top_pots"])],
    }
    assert all(block.shape[1] == len(BLOCKS[name]) for name, block in blocks.items())
    return blocks


def _behaviour(decisions: np.ndarray, ends: Int64s) -> Int64s:
    """decisions: [places, seats, streets, kinds]; ends: words. A hand that ended on a street saw all before it too."""
    n = decisions.astype(np.int64)
    saw = [
        word[..., ::-1].cumsum(axis=-1)[..., ::-1]
        for word in (*_both(ends, t.ENDED_SHOWN), *_both(ends, t.WON_SHOWN_WON), ends[..., t.NET])
    ]
    columns = [
        saw[0],
        n[..., t.FOLDS],
        n[..., t.CHECKS],
        n[..., t.CALLS] + n[..., t.BRING_INS],
        n[..., t.BETS] + n[..., t.RAISES],
        n[..., t.BRING_INS],
        n[..., t.BETS],
        *saw[1:],
    ]
    return _rows(columns, offsets=(0, 0, 3))


def _both(words: Int64s, k: int) -> tuple[Int64s, Int64s]:
    """The two counts of word k."""
    return words[..., k] % t.SECOND, words[..., k] // t.SECOND


def _words(words: Int64s, first: int, end: int) -> list[Int64s]:
    return [words[..., k] for k in range(first, end)]


def _rows(columns: list[Int64s], offsets: tuple[int, ...]) -> Int64s:
    """Rows (indices + offsets, values of the columns) where the first column is not zero."""
    where = np.nonzero(columns[0])
    keys = [index + offset for index, offset in zip(where, offsets, strict=True)]
    return np.column_stack([*keys, *(column[where] for column in columns)])
