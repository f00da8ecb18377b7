"""The work itself: a chunk in, its sums out, a function of (plan, chunk) alone."""

import json
import os
import platform
import socket
import time
from collections.abc import Callable
from functools import cache, cached_property
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from razzsim import sums
from razzsim.engine import bulk, rows, rules, state, tally
from razzsim.engine.counted import COLUMNS, Counted
from razzsim.engine.entries import address_of
from razzsim.engine.games import GAMES
from razzsim.engine.hand import ACTION_NAMES
from razzsim.plan import Chunk, LineUp, Plan, PlannedEntrant
from razzsim.plan.plan import TableLimits
from razzsim.records import LEVELS
from razzsim.runner.executor import Failure, Played, Task
from razzsim.runner.shared import check_shared
from razzsim.runner.warm_up import keep_kernel
from razzsim.store.worker import Worker
from razzsim.strategy.loader import compiled, load

if TYPE_CHECKING:
    from razzsim.runner.recorder import Recorder
    from razzsim.runner.search import Search
    from razzsim.store.finder import HandFinder

assert (*bulk.SUMS, "n_faults") == sums.BLOCKS["entrants"], "the kernel's columns are what is packed"
assert sums.WORD_BITS == bulk.WORD_BITS
assert sums.N_TOP_POTS == tally.N_TOP_POTS
assert all(len(sums.BLOCKS[name]) == n for name, n in COLUMNS.items())
assert LEVELS.index("actions") == rows.ACTIONS


def worker_name() -> str:
    """This process, as stored with its chunks."""
    return f"{socket.gethostname()}:{os.getpid()}"


@cache
def this_worker() -> Worker:
    """What this process runs on."""
    packages = (metadata.version(name) for name in ("numba", "numpy", "razzsim"))
    return Worker(worker_name(), socket.gethostname(), _cpu_model(), platform.python_version(), *packages)


def _cpu_model() -> str:
    """The processor's name as Linux gives it, where it gives one."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())


def load_compiled(plan: Plan) -> None:
    """Have the kernel and all strategies of the plan ready to be called; what the disk cache lacks is compiled."""
    keep_kernel()  # a node of a cluster that nobody warmed up: one of its workers compiles, the others wait
    bulk.kernel()
    for entrant in plan.entrants:
        compiled(entrant.source)


class Workbench:
    """Plays chunks of one plan. A table is laid once a structure, and an entrant made ready once."""

    def __init__(self, plan: Plan, task: Task | None = None) -> None:
        self.plan, self._task = plan, task or Task()
        self._buffers = bulk.Buffers(LEVELS.index(self._task.level))
        self._tables: dict[str, _Table] = {}
        self._is_shared = False

    @cached_property
    def _ready(self) -> list["_Ready"]:
        return [_made_ready(entrant) for entrant in self.plan.entrants]

    def play(self, chunk: Chunk) -> Played:
        """Play one chunk. A strategy's failure is an answer, not an exception."""
        line_up = self.plan.line_ups[chunk.line_up]
        if line_up.structure not in self._tables:
            limits = self.plan.limits_of(line_up)
            self._tables[line_up.structure] = _Table(self.plan, limits, self._ready, self._buffers, self._task)
        table = self._tables[line_up.structure]
        taker = self._taker(chunk, line_up)
        if taker is None:
            return table.play(chunk, line_up)
        try:
            played = table.play(chunk, line_up, taker.take)
            if not played.failure:
                return taker.finish(played)
        except BaseException:
            taker.discard()
            raise
        taker.discard()
        return played

    def _taker(self, chunk: Chunk, line_up: LineUp) -> "Recorder | Search | None":
        """Who takes the rows. It comes with Arrow or DuckDB, which play without rows does without."""
        if self._task.folder is not None:
            from razzsim.runner.recorder import Recorder

            self._check_shared()
            return Recorder(self._task, self.plan.run_id, line_up, chunk)
        if self._task.predicate is not None:
            from razzsim.runner.search import Search

            return Search(self._finder, self.plan.run_id, line_up, self._task.limit)
        return None

    def _check_shared(self) -> None:
        """Once, before the first rows."""
        if not self._is_shared:
            check_shared(self._task)
            self._is_shared = True

    @cached_property
    def _finder(self) -> "HandFinder":
        from razzsim.runner.search import finder_for

        return finder_for(self.plan, self._task)


class _Ready(NamedTuple):
    """An entrant, ready to sit down."""

    code: Callable[..., int]
    entry: int
    wants_dice: bool
    params: np.ndarray


def _made_ready(entrant: PlannedEntrant) -> _Ready:
    code, strategy = compiled(entrant.source), load(entrant.source)
    params = np.zeros(state.N_PARAMS)
    params[: len(strategy.params)] = [entrant.params[name] for name in strategy.params]
    return _Ready(code, address_of(code), strategy.wants_dice, params)


class _Table:
    """The table of one structure; line-ups take their seats in turn.

    A table for each line-up took 0.3 ms and 12 KiB: 230 MiB for the 19,900 pairs of 200 entrants.
    """

    def __init__(self, plan: Plan, limits: TableLimits, ready: list[_Ready], buffers: bulk.Buffers, task: Task) -> None:
        self._ready, self._buffers, self._line_up = ready, buffers, LineUp(-1, "", (), 0)
        chips = (limits[name] for name in ("ante", "bring_in", "small_bet", "big_bet", "seats"))
        work = np.zeros(1, bulk.WORK_DTYPE)
        work["seed"] = plan.seed
        work["shuffled"] = plan.schedule == "table"
        work["button_rotates"] = plan.rules["dealer"] == "rotates"
        work["fold_on_error"] = plan.on_error == "fold"
        work["start_chips"][0, : len(limits["stacks"])] = limits["stacks"]
        work["sample_first"], work["sample_width"] = task.sample_span
        record, nobody = rules.rules_record(plan.rules), np.zeros((0, state.N_PARAMS))
        self._player = bulk.GroupPlayer(record, state.table_record(*chips), (), nobody, work, GAMES[plan.game], buffers)
        seats = self._player.work[0]
        self._counted = Counted()
        self._seats = seats["entrant_of"], seats["entry"], seats["wants_dice"], seats["me"]["params"]

    def _seat(self, line_up: LineUp) -> None:
        self._player.clear()
        self._line_up, work = line_up, self._player.work[0]
        copies = [self._ready[entrant] for entrant in line_up.entrants]
        work["n_rotations"], work["n_entrants"] = line_up.rotations, len(line_up.places)
        work["rolls"] = any(ready.wants_dice for ready in copies)
        entrant_of, entry, wants_dice, params = self._seats
        for copy, (entrant, ready) in enumerate(zip(line_up.entrants, copies, strict=True)):
            entrant_of[copy] = line_up.places.index(entrant)
            entry[copy], wants_dice[copy], params[copy] = ready.entry, ready.wants_dice, ready.params

    def play(self, chunk: Chunk, line_up: LineUp, take_rows: bulk.TakeRows = lambda rows: None) -> Played:
        start, cpu = time.perf_counter_ns(), time.thread_time_ns()
        if line_up is not self._line_up:
            self._seat(line_up)
        code, entrants, pairs = self._player.play(chunk.first_group, chunk.n_groups, take_rows)
        if code != state.OK:
            return Played(chunk, None, self._failure(code))
        work = self._player.work[0]
        n = len(entrants)
        blocks = {"entrants": np.column_stack([entrants, work["n_faults"][:n]]), "pairs": pairs}
        blocks |= self._counted.rows(self._buffers.tally, n, len(line_up.entrants))
        blocks["top_pots"] = self._buffers.top_pots
        header = {
            "line_up": chunk.line_up,
            "first_group": chunk.first_group,
            "n_groups": chunk.n_groups,
            "n_hands": int(work["n_hands"]),
            "n_decisions": int(work["n_decisions"]),
            "chunk_ns": time.perf_counter_ns() - start,
            "cpu_ns": time.thread_time_ns() - cpu,
        }
        return Played(chunk, sums.pack(header, blocks), worker=this_worker())

    def _failure(self, code: int) -> Failure:
        player = self._player
        work, seat = player.work[0], int(player.hand[0]["actor"])
        copy = int(work["order"][work["rotation"] + seat])
        me, table = player.mes[copy], player.table[0]
        entrant = self._line_up.entrants[copy]
        if code == state.STRATEGY_RAISED and (raised := _exception_of(self._ready[entrant].code, me, table)):
            message = raised
        elif code in (state.ILLEGAL_ACTION, state.STRATEGY_RAISED):  # it may also return the number of that code
            names = dict(enumerate(ACTION_NAMES))
            legal = [f"{a} ({name})" for a, name in names.items() if me["legal_mask"] >> a & 1]
            returned = int(work["action"])
            message = f"returned {returned} ({names.get(returned, 'no action')}); legal here: {', '.join(legal)}"
        elif code == state.ROWS_LOST:
            message = f"one deal has more decisions than can be recorded ({rows.MOST_ACTIONS:,})"
        else:
            message = "chips do not add up after the hand: something wrote into the table, or the engine is at fault"
        view = json.dumps({"me": _plain(me), "table": _plain(table)})
        return Failure(entrant, int(work["deal"]), int(work["rotation"]), seat, message, view)


def _exception_of(entry: Callable[..., int], me: np.void, table: np.void) -> str | None:
    """What the strategy raises on this view, None when it answers: it is asked once more, outside the kernel."""
    try:
        entry(me, table)
    except Exception as error:
        return f"raised {type(error).__name__}: {error}"
    return None


def _plain(record: np.void) -> dict[str, Any]:
    return {name: np.asarray(record[name]).tolist() for name in record.dtype.names or ()}
