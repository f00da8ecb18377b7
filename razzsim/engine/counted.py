"""The kernel's counters as rows of numbers, for those who keep them; rows without hands are left out.

Compiled: with NumPy's whole arrays the few hands of a chunk of a large round robin took less time than their rows.
"""

from functools import cache

import numpy as np
from numba import njit

from razzsim.engine import tally as t
from razzsim.engine.state import MAX_SEATS, THIRD

COLUMNS = {"behaviour": 14, "positions": 10, "start_hands": 5}
"""By block: numbers of a row, as sums.BLOCKS names them."""
_MOST_WORDS = MAX_SEATS * (
    MAX_SEATS * 5 * COLUMNS["behaviour"] + (MAX_SEATS + 1) * COLUMNS["positions"] + t.N_CLASSES * COLUMNS["start_hands"]
)
_PLAYED_MASK = (1 << t.PLAYED) - 1


class Counted:
    """Rows of one tally after another, in the same memory."""

    def __init__(self) -> None:
        self._words = np.empty(_MOST_WORDS, np.int64)  # what is not used takes no memory

    def rows(self, tally: np.ndarray, n_places: int, n_seats: int) -> dict[str, np.ndarray]:
        """The blocks of COLUMNS, valid until the next call.

        tally: TALLY_DTYPE[1]; n_places, n_seats: of the line-up that it counted.
        """
        ends = _rows_entry(tally, n_places, n_seats, self._words)
        firsts = (0, *ends[:-1])
        return {
            name: self._words[first:end].reshape(-1, n)
            for (name, n), first, end in zip(COLUMNS.items(), firsts, ends, strict=True)
        }


@cache
def load() -> None:
    """Have the compiled code ready: 3 s of compiling on an empty cache."""
    Counted().rows(np.zeros(1, t.TALLY_DTYPE), 0, 0)


@njit(cache=True)
def _rows_entry(tallies, n_places, n_seats, out):
    """Write the rows of the three blocks one after another; where each of them ends."""
    behaviour = 0
    for place in range(n_places):
        for seat in range(n_seats):
            behaviour = _behaviour_nb(tallies[0].places[place], place, seat, out, behaviour)
    positions = behaviour
    for place in range(n_places):
        positions = _positions_nb(tallies[0].places[place], place, n_seats, out, positions)
    start_hands = positions
    for place in range(n_places):
        start_hands = _start_hands_nb(tallies[0].places[place], place, out, start_hands)
    return behaviour, positions, start_hands


@njit
def _ended_nb(counts, seat, row):
    """Of hands that ended on a street: how many, shown down, won, both; chips."""
    hands, end = counts.ends[seat], 4 * row
    shown, won, both = hands[end + 1, 0], hands[end + 2, 0], hands[end + 3, 0]
    net = hands[end, 1] + hands[end + 1, 1] + hands[end + 2, 1] + hands[end + 3, 1]
    return hands[end, 0] + shown + won + both, shown + both, won + both, both, net


@njit
def _behaviour_nb(counts, place, seat, out, at):
    """A row a street that was seen: by those who ended on it or later."""
    seen = shown = won = both = net = 0
    for row in range(t.FOLDED_ON_THIRD + 1):
        ended = _ended_nb(counts, seat, row)
        seen, shown, won, both, net = (
            seen + ended[0], shown + ended[1], won + ended[2], both + ended[3], net + ended[4],
        )  # fmt: skip
    for street in range(5):
        if seen == 0:
            break
        n = counts.decisions[seat, street]
        out[at], out[at + 1], out[at + 2], out[at + 3] = place, seat, street + THIRD, seen
        out[at + 4], out[at + 5], out[at + 6] = n[t.FOLDS], n[t.CHECKS], n[t.CALLS] + n[t.BRING_INS]
        out[at + 7], out[at + 8], out[at + 9] = n[t.BETS] + n[t.RAISES], n[t.BRING_INS], n[t.BETS]
        out[at + 10], out[at + 11], out[at + 12], out[at + 13] = shown, won, both, net
        at += 14
        for row in (street, t.FOLDED_ON_THIRD):
            if street in (row, 0):
                ended = _ended_nb(counts, seat, row)
                seen, shown, won, both, net = (
                    seen - ended[0], shown - ended[1], won - ended[2], both - ended[3], net - ended[4],
                )  # fmt: skip
    return at


@njit
def _positions_nb(counts, place, n_seats, out, at):
    """A row a position, -1 = nobody owed the bring-in."""
    for position in range(n_seats + 1):
        hands = counts.positions[position, 0]
        if hands:
            out[at], out[at + 1], out[at + 2] = place, position - 1, hands & _PLAYED_MASK
            out[at + 3], out[at + 4] = hands >> t.PLAYED, counts.positions[position, 1]
            for k in range(5):
                out[at + 5 + k] = counts.steals[position, k]
            at += 10
    return at


@njit
def _start_hands_nb(counts, place, out, at):
    for k in range(t.N_CLASSES):
        hands = counts.start_hands[k, 0]
        if hands:
            out[at], out[at + 1], out[at + 2] = place, k, hands & _PLAYED_MASK
            out[at + 3], out[at + 4] = hands >> t.PLAYED, counts.start_hands[k, 1]
            at += 5
    return at
