"""A run from its beginning to its end, and a run that goes on: the calls behind the commands and the Python API."""

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, redirect_stdout
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from razzsim import events, store
from razzsim.engine import ENGINE_VERSION
from razzsim.plan import ConfigError, Plan, Shard, plan_from_file
from razzsim.plan.plan import MAX_DEALS
from razzsim.runner.identity import differences, is_extension, stored_plan
from razzsim.runner.outputs import Output, output_of
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


_COUNTS = """
SELECT count(*)::BIGINT AS chunks, coalesce(sum(n_groups), 0)::BIGINT AS groups,
       coalesce(sum(n_hands), 0)::BIGINT AS hands
FROM chunks
"""


@dataclass(frozen=True)
class Options:
    """How to play, as opposed to what: none of it changes a number."""

    workers: int | None = None
    local: bool = False
    address: str | None = None
    metrics_port: int | None = None
    metrics_address: str = "127.0.0.1"
    resume: bool = False
    """Whether `run` goes on with an output that holds this very run, unfinished."""
    expect: str | None = None
    """The run_id that `run` should find: another one means another razzsim, or other strategies."""
    label: str | None = None
    """A short name for a new run."""
    pushgateway: str | None = None
    """URL of a Prometheus Pushgateway that metrics are pushed to."""


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

    def __init__(
        self, output: Output, row: dict[str, Any], *, workers: int = 0, signal_number: int | None = None
    ) -> None:
        self.output, self.row, self.workers, self.signal_number = output, row, workers, signal_number

    @property
    def path(self) -> Path:
        """The file that can be read: of a result in object storage a copy, there as long as this is."""
        return self.output.path

    @property
    def out(self) -> str:
        """What its user calls it: a path or an s3:// URI."""
        return str(self.output)

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

    @property
    def shard(self) -> Shard | None:
        """Which part of the plan it is, None for all of it."""
        return Shard(self.row["shard"], self.row["n_shards"]) if self.row["shard"] else None

    def sql(self, sql: str, **params: Any) -> "pa.Table":
        """The result of one SELECT as an Arrow table; params are the values of $name. Raises QueryError."""
        with store.Reader(self.path) as reader:
            return reader.query(sql, params)

    @cached_property
    def counts(self) -> dict[str, int]:
        """Chunks, groups and hands that are committed."""
        counted: dict[str, int] = self.sql(_COUNTS).to_pylist()[0]
        return counted

    def standings(self) -> "pa.Table":
        """The ranking with 95% intervals, best first."""
        return self.sql("SELECT * FROM standings ORDER BY structure, rank, entrant")

    def head_to_head(self) -> "pa.Table":
        """Every entrant against every rival, paired on the same deals."""
        return self.sql("SELECT * FROM head_to_head ORDER BY structure, entrant, rival")

    def __repr__(self) -> str:
        return f"<razzsim run {self.run_id} in {self.out}: {self.status}>"


@kernel_beside()
def run(
    config: str | Path,
    out: str | Path | None = None,
    options: Options | None = None,
    watch: Watch | None = None,
    shard: Shard | None = None,
) -> Run:
    """Play an experiment, or a shard of it, into a new result: a file, or s3://BUCKET/KEY.duckdb.

    Default out: runs/<name>.duckdb, of a shard runs/<name>.3-of-16.duckdb. An output that holds the same run, complete,
    is returned as it is. Raises ConfigError, UnfinishedError, StoreError, ExecutorError, MetricsError.
    """
    options, watch = options or Options(), watch or Watch()
    plan = replace(plan_from_file(config), shard=shard)
    events.about(plan.run_id)
    if options.expect not in {None, plan.run_id}:
        raise ConfigError(
            f"{config}: is run {plan.run_id} here, not {options.expect}: strategies, or razzsim (engine version "
            f"{ENGINE_VERSION} here), differ from where it was expected"
        )
    name = f"{plan.name}.{shard.number}-of-{shard.of}" if shard else plan.name
    output = output_of(out if out is not None else Path("runs") / f"{name}.duckdb")
    path = output.path
    if out is not None and not path.parent.is_dir():  # only the default folder is made: a slip must not make others
        raise StoreError(f"{path}: {path.parent} is no folder: make it first, or choose another --out")
    if not path.exists():
        return _play(plan, output, options, watch, is_new=True)
    try:
        done = _existing(plan, output)
    except UnfinishedError:
        if options.resume:
            return resume(str(output), options, watch)
        raise
    _complete(output, done.row, watch)
    return done


@kernel_beside()
def resume(
    out: str | Path, options: Options | None = None, watch: Watch | None = None, deals: int | None = None
) -> Run:
    """Go on with an unfinished run, or with any run to more deals: only the missing chunks are played.

    deals: how many each line-up is to have in all. Raises as `run` does.
    """
    output, watch = output_of(out, must_exist=True), watch or Watch()
    with store.Reader(output.path) as reader:
        if reader.held:
            raise reader.held
        row = reader.run_row(hint="only a file of one run can go on")
        events.about(row["run_id"])
        deals = _wanted(output, row, deals)
        is_complete = row["status"] == "complete" and deals == row["deals"]
        plan = None if is_complete else stored_plan(reader, row, "start a new run")
        counted = reader.query(_COUNTED).to_pylist()[0]
    if plan is None:
        _complete(output, row, watch)
        return Run(output, row)
    if counted["counted"] != counted["played"]:
        raise StoreError(
            f"{output}: was begun by razzsim {row['razzsim_version']}, which did not count behaviour: counters would "
            "tell of what is played from now on only; start a new run"
        )
    return _play(replace(plan, deals=deals), output, options or Options(), watch, is_new=False)


def _complete(output: Output, row: dict[str, Any], watch: Watch) -> None:
    """Say that a run is complete, and remove what its driver left if it was killed at the very end."""
    watch.note(f"{output}: run {row['run_id']} is already complete")
    if output.left_by_a_driver():
        from razzsim.runner.compaction import tidy

        with closing(store.Writer.open(output.path, row["run_id"], output.parts)) as writer:
            writer.make_parts_own()
            tidy(writer, row["run_id"], watch.note, is_complete=row["shard"] is None)


def _wanted(output: Output, row: dict[str, Any], deals: int | None) -> int:
    """The deals a stored run is to have. Raises StoreError unless they are as many as it has, or more."""
    if deals is not None and not row["deals"] <= deals <= MAX_DEALS:
        raise StoreError(
            f"{output}: --deals {deals:,} is not allowed: the run has {row['deals']:,} deals, and none is taken away; "
            f"at most {MAX_DEALS:,}"
        )
    return int(row["deals"] if deals is None else deals)


def _existing(plan: Plan, output: Output) -> Run:
    """The finished run of the same plan that is there already. Raises when it is something else, or unfinished."""
    if output.path.stat().st_size == 0:
        raise StoreError(f"{output}: exists already, with nothing in it: remove it, or choose another --out")
    try:
        with store.Reader(output.path) as reader:
            if reader.held:
                raise HeldError(f"{reader.held}: choose another --out")
            row = reader.run_row()
    except NotAResultError as error:
        raise StoreError(f"{error}; nothing was written: choose another --out") from None
    theirs = Plan.from_json(row["plan"])
    if theirs.shard != plan.shard:
        there, here = (f"{whole.shard or 'all'} of run {whole.run_id}" for whole in (theirs, plan))
        raise StoreError(f"{output}: holds {there}, not {here}: choose another --out")
    if is_extension(plan, theirs, row):
        raise StoreError(
            f"{output}: holds this run with {row['deals']:,} deals, not {plan.deals:,}; add the others, in its batches "
            f"of {theirs.batch_groups:,}, with: razzsim resume {shlex.quote(str(output))} --deals {plan.deals}"
        )
    if row["fingerprint"] != plan.fingerprint or row["deals"] != plan.deals:
        what = ", ".join(differences(plan, theirs, row))
        raise StoreError(f"{output}: holds another run, {row['run_id']}; what differs: {what}; choose another --out")
    if row["status"] != "complete":
        raise UnfinishedError(
            f"{output}: holds this run, unfinished ({row['status']}); go on with: "
            f"razzsim resume {shlex.quote(str(output))}"
        )
    return Run(output, row)


def _play(plan: Plan, output: Output, options: Options, watch: Watch, *, is_new: bool) -> Run:
    signals = Signals()
    if not plan.n_chunks:
        options = replace(options, local=True)  # no Ray for nothing
    # Ray tells of lost workers on stdout, where only the answer belongs.
    with signals.caught(), redirect_stdout(sys.stderr), ray_node(options) as node:
        from razzsim.runner.play import play  # and with it NumPy, Arrow, DuckDB: Ray starts meanwhile

        n_workers = play(plan, output, is_new=is_new, node=node, options=options, watch=watch, signals=signals)
    with store.Reader(output.path) as reader:
        row = reader.run_row()
    return Run(output, row, workers=n_workers, signal_number=signals.number)


@contextmanager
def ray_node(options: Options) -> Iterator["RayNode | None"]:
    """Ray, starting; None for a run without it."""
    if options.local:
        yield None
        return
    from razzsim.runner.ray_node import RayNode

    with closing(RayNode(options.workers, options.address)) as node:
        yield node
