"""Deals of a line-up that are committed, as intervals."""

from bisect import bisect_left, bisect_right


class Spans:
    """Rising intervals that do not touch. A run has one a line-up, a shard about one a chunk."""

    def __init__(self) -> None:
        self._firsts: list[int] = []
        self._ends: list[int] = []

    def add(self, first: int, end: int) -> None:
        """Add deals first .. end - 1; what touches becomes one."""
        low, high = bisect_left(self._ends, first), bisect_right(self._firsts, end)
        if low < high:
            first, end = min(first, self._firsts[low]), max(end, self._ends[high - 1])
        self._firsts[low:high], self._ends[low:high] = [first], [end]

    def gaps(self, first: int, end: int) -> list[tuple[int, int]]:
        """What of deals first .. end - 1 is not in them."""
        found = []
        for place in range(bisect_right(self._ends, first), bisect_left(self._firsts, end)):
            if first < self._firsts[place]:
                found.append((first, self._firsts[place]))
            first = self._ends[place]
        return [*found, (first, end)] if first < end else found

    def within(self, first: int, end: int) -> list[tuple[int, int]]:
        """What of deals first .. end - 1 is in them."""
        places = range(bisect_right(self._ends, first), bisect_left(self._firsts, end))
        return [(max(first, self._firsts[place]), min(end, self._ends[place])) for place in places]

    def holds_any(self, first: int, end: int) -> bool:
        """Whether any of deals first .. end - 1 is in them."""
        return bisect_right(self._ends, first) < bisect_left(self._firsts, end)

    @property
    def end(self) -> int:
        """One more than the last deal in them."""
        return self._ends[-1] if self._ends else 0

    @property
    def prefix(self) -> int:
        """How many deals from 0 on are in them without a gap."""
        return self._ends[0] if self._firsts and self._firsts[0] == 0 else 0
