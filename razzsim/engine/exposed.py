"""The order of exposed hands (rule B5) as a finite automaton.

A state is the multiset of ranks among a seat's 0 to 4 up cards. States of one size are numbered from the
lowest exposed hand to the highest, so comparing two seats is comparing two integers, and a new up card is
one table look-up: `state = step[state, rank]`.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations_with_replacement
from math import comb

import numpy as np

N_STEP_STATES = sum(comb(12 + size, size) for size in range(4))
"""States with room for another card: 1 + 13 + 91 + 455."""


def exposed_key(ranks: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Sort key of an exposed hand, lowest first: first how its ranks repeat, then the ranks that do."""
    counts = sorted(((n, rank) for rank, n in Counter(ranks).items()), reverse=True)
    return tuple(n for n, _ in counts), tuple(rank for _, rank in counts)


def exposed_steps(order: Sequence[int]) -> np.ndarray:
    """uint16[560, 13]: (state, rank of the next up card) -> state. order: card rank -> the game's rank."""
    states: dict[tuple[int, ...], int] = {}
    for size in range(5):
        for ranks in sorted(combinations_with_replacement(range(13), size), key=exposed_key):
            states[ranks] = len(states)
    step = np.zeros((N_STEP_STATES, 13), np.uint16)
    for ranks, state in states.items():
        if len(ranks) < 4:
            for rank in range(13):
                step[state, rank] = states[tuple(sorted((*ranks, order[rank])))]
    return step
