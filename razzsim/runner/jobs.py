"""The work itself: a chunk in, its sums out, a function of (plan, chunk) alone."""

import json
import os
import socket
import time
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from razzsim import records
from razzsim.engine import bulk, rules, state
from razzsim.engine.games import GAMES
from razzsim.engine.hand import ACTION_NAMES
from razzsim.plan import Chunk, LineUp, Plan
from razzsim.runner.executor import Failure, Played
from razzsim.runner.warm_up import keep_kernel
from razzsim.strategy.loader import compiled, load

assert (*bulk.SUMS, "n_faults") == records.SUMS_ENTRANT, "the kernel's columns are what is packed"
assert records.WORD_BITS == bulk.WORD_BITS


def worker_name() -> str:
    """This process, as stored with its chunks."""
    return f"{socket.gethostname()}:{os.getpid()}"


def load_compiled(plan: Plan) -> None:
    """Have the kernel and all strategies of the plan ready to be called; what the disk cache lacks is compiled."""
    keep_kernel()  # a node of a cluster that nobody warmed up: one of its workers compiles, the others wait
    bulk.kernel()
    for entrant in plan.entrants:
        compiled(entrant.source)


class Workbench:
    """Plays chunks of one plan; tables are laid once per line-up."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._tables: dict[int, _LaidTable] = {}

    def play(self, chunk: Chunk) -> Played:
        """Play one chunk. A strategy's failure is an answer, not an exception."""
        if chunk.line_up not in self._tables:
            self._tables[chunk.line_up] = _LaidTable(self.plan, self.plan.line_ups[chunk.line_up])
        return self._tables[chunk.line_up].play(chunk)


class _LaidTable:
    """One line-up, ready to play any of its groups."""

    def __init__(self, plan: Plan, line_up: LineUp) -> None:
        self._plan, self._line_up = plan, line_up
        self._entries = [compiled(plan.entrants[entrant].source) for entrant in line_up.entrants]

    @cached_property
    def _player(self) -> bulk.GroupPlayer:
        limits = self._plan.limits_of(self._line_up)
        table = state.table_record(
            limits["ante"], limits["bring_in"], limits["small_bet"], limits["big_bet"], limits["seats"]
        )
        params = np.zeros((len(self._entries), state.N_PARAMS))
        for copy, entrant in enumerate(self._line_up.entrants):
            planned = self._plan.entrants[entrant]
            for place, name in enumerate(load(planned.source).params):
                params[copy, place] = planned.params[name]
        record = rules.rules_record(self._plan.rules)
        work = self._work(limits["stacks"])
        return bulk.GroupPlayer(record, table, self._entries, params, work, GAMES[self._plan.game])

    def _work(self, stacks: list[int]) -> np.ndarray:
        plan, line_up = self._plan, self._line_up
        work = np.zeros(1, bulk.WORK_DTYPE)
        work["seed"] = plan.seed
        work["n_rotations"] = line_up.rotations
        work["n_entrants"] = len(line_up.places)
        work["shuffled"] = plan.schedule == "table"
        work["button_rotates"] = plan.rules["dealer"] == "rotates"
        work["fold_on_error"] = plan.on_error == "fold"
        for copy, entrant in enumerate(line_up.entrants):
            work["entrant_of"][0, copy] = line_up.places.index(entrant)
            work["wants_dice"][0, copy] = load(plan.entrants[entrant].source).wants_dice
        work["start_chips"][0, : len(stacks)] = stacks
        return work

    def play(self, chunk: Chunk) -> Played:
        start, cpu = time.perf_counter_ns(), time.thread_time_ns()
        code, sums, cross = self._player.play(chunk.first_group, chunk.n_groups)
        if code != state.OK:
            return Played(chunk, None, self._failure(code))
        work = self._player.work[0]
        header = {
            "line_up": chunk.line_up,
            "first_group": chunk.first_group,
            "n_groups": chunk.n_groups,
            "n_places": len(sums),
            "n_hands": int(work["n_hands"]),
            "n_decisions": int(work["n_decisions"]),
            "chunk_ns": time.perf_counter_ns() - start,
            "cpu_ns": time.thread_time_ns() - cpu,
        }
        faults = work["n_faults"][: len(sums), None]
        return Played(chunk, records.pack_sums(header, np.hstack([sums, faults]), cross))

    def _failure(self, code: int) -> Failure:
        player = self._player
        work, seat = player.work[0], int(player.hand[0]["actor"])
        copy = int(work["holder"][seat])
        me, table = player.mes[copy], player.table[0]
        if code == state.STRATEGY_RAISED and (raised := _exception_of(self._entries[copy], me, table)):
            message = raised
        elif code in (state.ILLEGAL_ACTION, state.STRATEGY_RAISED):  # it may also return the number of that code
            names = dict(enumerate(ACTION_NAMES))
            legal = [f"{a} ({name})" for a, name in names.items() if me["legal_mask"] >> a & 1]
            returned = int(work["action"])
            message = f"returned {returned} ({names.get(returned, 'no action')}); legal here: {', '.join(legal)}"
        else:
            message = "chips do not add up after the hand: something wrote into the table, or the engine is at fault"
        view = json.dumps({"me": _plain(me), "table": _plain(table)})
        entrant = self._line_up.entrants[copy]
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
