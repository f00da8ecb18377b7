"""Looks through hands as they are played again."""

from dataclasses import replace

import numpy as np
import pyarrow as pa

from razzsim.plan import LineUp, Plan
from razzsim.runner.executor import Played, Task
from razzsim.runner.recorder import row_tables
from razzsim.runner.rows import rows_of
from razzsim.store import QueryError
from razzsim.store.finder import HandFinder


def finder_for(plan: Plan, task: Task) -> HandFinder:
    """The condition of a task as the store understands it. Raises QueryError when it does not."""
    assert task.predicate is not None
    run, entrants, line_ups = rows_of(plan)
    return HandFinder({"runs": [run], "entrants": entrants, "line_ups": line_ups}, task.predicate, task.limit)


class Search:
    """Seats found in the hands of one chunk."""

    def __init__(self, finder: HandFinder, run_id: str, line_up: LineUp, limit: int) -> None:
        self._finder, self._run_id, self._line_up, self._limit = finder, run_id, line_up, limit
        self._found: list[pa.Table] = [finder.nothing]
        self._wrong = ""

    def take(self, filled: list[tuple[np.ndarray, int]]) -> None:
        """Look through what the kernel's buffers hold."""
        hands = row_tables(self._run_id, self._line_up, filled).get("hands")
        if hands is not None and not self._wrong and sum(map(len, self._found)) < self._limit:
            try:
                self._found.append(self._finder.matches(hands))
            except QueryError as error:  # the condition's fault, in these hands: an answer, not a worker's end
                self._wrong = str(error)

    def finish(self, played: Played) -> Played:
        """The answer with the first that were found."""
        if self._wrong:
            return replace(played, wrong=self._wrong)
        return replace(played, found=pa.concat_tables(self._found).slice(0, self._limit))

    def discard(self) -> None:
        """Nothing is left behind."""
