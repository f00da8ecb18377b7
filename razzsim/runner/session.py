"""A run from its beginning to its end, and a run that goes on: the calls behind the commands and the Python API."""

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from razzsim import store
from razzsim.engine import ENGINE_VERSION
from razzsim.plan import Plan, plan_from_file
from razzsim.runner.signals import Signals
from razzsim.runner.warm_up import kernel_beside
from razzsim.store import HeldError, NotAResultError, StoreError

if TYPE_CHECKING:
    import pyarrow as pa

    from razzsim.runner.open_run import Progress
    from razzsim.runner.ray_node import RayNode


_COUNTED = """
SELECT (SELECT coalesce(sum(n_seen), 0) FROM behaviour WHERE street = 3) AS counted,
       (SELECT coalesce(sum(n_hands), 0) FROM group_sums) AS played
"""
"""Entrant-hands of the counters and of the sums: they differ when some were played before there were counters."""


@dataclass(frozen=True)
class Options:
    """How to play, as opposed to what: none of it changes a number."""

    workers: int | None = None
    local: bool = False
    address: str | None = None
    metrics_port: int | None = None
    metrics_address: str = "127.0.0.1"
    label: str | None = None
    """A short name for a new run."""


@dataclass
class Watch:
    """What the caller wants to hear while a run goes on."""

    note: Callable[[str], None] = lambda text: None
    progress: "Callable[[Progress], None]" = lambda progress: None
    share: Callable[[int, int], None] = lambda done, total: None
    """Deals played again, of how many."""


class UnfinishedError(StoreError):
    """The output holds this very run, unfinished: it wants `resume`."""


class Run:
    """A run that has ended: where it lies, how it ended, and its results."""

    def __init__(self, path: Path, row: dict[str, Any], *, workers: int = 0, signal_number: int | None = None) -> None:
        self.path, self.row, self.workers, self.signal_number = path, row, workers, signal_number

    @property
    def run_id(self) -> str:
        """First 12 hex digits of the plan's fingerprint."""
        return str(self.row["run_id"])

    @property
    def status(self) -> str:
        """complete, stopped or failed."""
        return str(self.row["status"])

    @property
    def stop_reason(self) -> str:
        """Why it is not running any more."""
        return str(self.row["stop_reason"])

    def sql(self, sql: str, **params: Any) -> "pa.Table":
        """The result of one SELECT as an Arrow table; params are the values of $name. Raises QueryError."""
        with store.Reader(self.path) as reader:
            return reader.query(sql, params)

    def standings(self) -> "pa.Table":
        """The ranking with 95% intervals, best first."""
        return self.sql("SELECT * FROM standings ORDER BY structure, rank, entrant")

    def head_to_head(self) -> "pa.Table":
        """Every entrant against every rival, paired on the same deals."""
        return self.sql("SELECT * FROM head_to_head ORDER BY structure, entrant, rival")

    def __repr__(self) -> str:
        return f"<razzsim run {self.run_id} in {self.path}: {self.status}>"


@kernel_beside()
def run(
    config: str | Path, out: str | Path | None = None, options: Options | None = None, watch: Watch | None = None
) -> Run:
    """Play an experiment into a new result file (default runs/<name>.duckdb).

    An output that holds the same run, complete, is returned as it is. Raises ConfigError, UnfinishedError,
    StoreError, ExecutorError, MetricsError.
    """
    plan = plan_from_file(config)
    path = Path(out) if out is not None else Path("runs") / f"{plan.name}.duckdb"
    if out is not None and not path.parent.is_dir():  # only the default folder is made: a slip must not make others
        raise StoreError(f"{path}: {path.parent} is no folder: make it first, or choose another --out")
    watch = watch or Watch()
    if path.exists() and (done := _existing(plan, path)):
        watch.note(f"{path}: run {plan.run_id} is already complete")
        return done
    return _play(plan, path, options or Options(), watch, is_new=True)


@kernel_beside()
def resume(out: str | Path, options: Options | None = None, watch: Watch | None = None) -> Run:
    """Go on with an unfinished run: only the missing chunks are played. Raises as `run` does."""
    path, watch = Path(out), watch or Watch()
    with store.Reader(path) as reader:
        if reader.held:
            raise reader.held
        row = reader.run_row(hint="only a file of one run can go on")
        counted = reader.query(_COUNTED).to_pylist()[0]
    if row["status"] == "complete":
        watch.note(f"{path}: run {row['run_id']} is already complete")
        return Run(path, row)
    if row["engine_version"] != ENGINE_VERSION:
        raise StoreError(
            f"{path}: was played by engine version {row['engine_version']}, this is {ENGINE_VERSION}: start a new run"
        )
    if counted["counted"] != counted["played"]:
        raise StoreError(
            f"{path}: was begun by razzsim {row['razzsim_version']}, which did not count behaviour: counters would "
            "tell of what is played from now on only; start a new run"
        )
    plan = Plan.from_json(row["plan"])
    return _play(plan, path, options or Options(), watch, is_new=False)


def _existing(plan: Plan, path: Path) -> Run | None:
    """The finished run of the same plan in path; None for an empty file. Raises when the file is something else."""
    if path.stat().st_size == 0:
        raise StoreError(f"{path}: exists already, with nothing in it: remove it, or choose another --out")
    try:
        with store.Reader(path) as reader:
            if reader.held:
                raise HeldError(f"{reader.held}: choose another --out")
            row = reader.run_row()
    except NotAResultError as error:
        raise StoreError(f"{error}; nothing was written: choose another --out") from None
    if row["fingerprint"] != plan.fingerprint or row["deals"] != plan.deals:
        what = ", ".join(_differences(plan, Plan.from_json(row["plan"]), row))
        raise StoreError(f"{path}: holds another run, {row['run_id']}; what differs: {what}; choose another --out")
    if row["status"] != "complete":
        raise UnfinishedError(
            f"{path}: holds this run, unfinished ({row['status']}); go on with: razzsim resume {shlex.quote(str(path))}"
        )
    return Run(path, row)


def _differences(ours: Plan, theirs: Plan, row: dict[str, Any]) -> Iterator[str]:
    if row["engine_version"] != ENGINE_VERSION:
        yield f"engine version {row['engine_version']} there, {ENGINE_VERSION} here"
    if ours.deals != theirs.deals:
        yield "deals"
    facts, others = ours.facts, theirs.facts
    yield from (name for name in facts if name != "entrants" and facts[name] != others[name])
    there = {entrant.name: entrant for entrant in theirs.entrants}
    for entrant in ours.entrants:
        if there.pop(entrant.name, None) != entrant:
            yield f"entrant {entrant.name}"
    yield from (f"entrant {name}" for name in there)


def _play(plan: Plan, path: Path, options: Options, watch: Watch, *, is_new: bool) -> Run:
    signals = Signals()
    # Ray tells of lost workers on stdout, where only the answer belongs.
    with signals.caught(), redirect_stdout(sys.stderr), ray_node(options) as node:
        from razzsim.runner.play import play  # and with it NumPy, Arrow, DuckDB: Ray starts meanwhile

        n_workers = play(plan, path, is_new=is_new, node=node, options=options, watch=watch, signals=signals)
    with store.Reader(path) as reader:
        row = reader.run_row()
    return Run(path, row, workers=n_workers, signal_number=signals.number)


@contextmanager
def ray_node(options: Options) -> Iterator["RayNode | None"]:
    """Ray, starting; None for a run without it."""
    if options.local:
        yield None
        return
    from razzsim.runner.ray_node import RayNode

    with closing(RayNode(options.workers, options.address)) as node:
        yield node
