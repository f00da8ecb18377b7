"""Who sits where: the copies of a line-up on the seats of a deal, by the SEATING stream."""

import numpy as np
from numba import njit

from razzsim.engine import streams
from razzsim.engine.jit_cache import use_own_cache_folder

use_own_cache_folder()


@njit(cache=True)
def _shuffle_entry(seed, domain, deal, items):
    streams.shuffle_nb(seed, domain, streams.SEATING, deal, items, len(items))


def holders(seed: int, deal: int, rotation: int, n_seats: int, *, shuffled: bool, domain: int = 0) -> list[int]:
    """The copy in each seat. shuffled: schedule table; else copy k starts in seat k."""
    order = np.arange(n_seats)
    if shuffled:
        _shuffle_entry(seed, domain, deal, order)
    return [int(order[(seat + rotation) % n_seats]) for seat in range(n_seats)]
