"""Shards of a run, put together to the run."""

import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from razzsim import store
from razzsim.plan import Plan
from razzsim.runner.compaction import tidy
from razzsim.runner.identity import differences, stored_plan
from razzsim.runner.open_run import Ending
from razzsim.runner.outputs import Output
from razzsim.runner.rows import rows_of
from razzsim.runner.session import Run
from razzsim.store import StoreError, Writer
from razzsim.store.database import parts_folder

_ALIKE = ("chunk_groups", "record", "on_error")
"""Of a plan, beside what decides the numbers: rows, failures and the cutting into shards follow from them."""


@dataclass(frozen=True)
class _Told:
    path: Path
    row: dict[str, Any]
    entrants: list[dict[str, Any]]
    plan: Plan

    @classmethod
    def of(cls, path: Path) -> Self:
        with store.Reader(path) as reader:
            if reader.held:
                raise reader.held
            row = reader.run_row(hint="only files of one run can be put together")
            plan = stored_plan(reader, row, "it cannot be put together with what this one plays")
            return cls(path, row, reader.query("FROM entrants ORDER BY entrant").to_pylist(), plan)


def merge(out: Path, paths: Sequence[Path], note: Callable[[str], None] = lambda text: None) -> Run:
    """Put files of one run together in a new one. What is missing, `resume` plays.

    Raises StoreError when a file is being written, plays another plan, or holds a deal that is in another one too;
    nothing is left then.
    """
    if out.exists():
        raise StoreError(
            f"{out}: exists already: choose another name for what is put together, or "
            "remove it if a merge that was killed left it"
        )
    if not out.parent.is_dir():
        raise StoreError(f"{out}: {out.parent} is no folder: make it first, or choose another name")
    if twice := [path for path, n in Counter(path.resolve() for path in paths).items() if n > 1]:
        raise StoreError(f"{twice[0]}: is named twice")
    told = sorted(map(_Told.of, paths), key=lambda one: (one.plan.shard.number if one.plan.shard else 0, one.path))
    for other in told[1:]:
        _refuse_different(told[0], other)
    plan = replace(told[0].plan, shard=None)
    now, _, line_ups = rows_of(plan)
    again = ("plan", "shard", "n_shards", "razzsim_version", "host", "versions", "status", "cpu_s", "wall_s")
    run = told[0].row | {name: now[name] for name in again} | {"stop_reason": None, "label": None, "note": None}
    run["created_at"] = min(one.row["created_at"] for one in told)
    run["attempt"] = max(one.row["attempt"] for one in told)
    writer = Writer.create(out, run, told[0].entrants, line_ups)
    try:
        with closing(writer):
            writer.take_over([one.path for one in told])
            ending = Ending.at(writer.totals()["groups"], plan, writer.count_stopped())
            writer.finish(ending.status, ending.reason, sum(one.row["wall_s"] for one in told))
            if plan.record["level"] != "sums":
                tidy(writer, plan.run_id, note, is_complete=ending.status == "complete")
    except BaseException:
        out.unlink(missing_ok=True)
        shutil.rmtree(parts_folder(out), ignore_errors=True)  # links and copies: it was empty before
        raise
    with store.Reader(out) as reader:
        return Run(Output(out), reader.run_row())


def _refuse_different(first: _Told, other: _Told) -> None:
    what = list(differences(first.plan, other.plan, other.row))
    what += [name for name in _ALIKE if getattr(first.plan, name) != getattr(other.plan, name)]
    if what:
        words = f"cannot be put together with {first.path}; what differs: {', '.join(what)}"
        raise StoreError(f"{other.path}: {words}: play the same experiment for both")
