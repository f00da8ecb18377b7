"""A run from its beginning to its end, and a run that goes on: the calls behind the commands and the Python API."""

import json
import os
import platform
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, redirect_stdout
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import pyarrow as pa

from razzsim.engine import ENGINE_VERSION
from razzsim.metrics import Metrics
from razzsim.plan import Plan, plan_from_file
from razzsim.records import SCHEMA_VERSION
from razzsim.runner.dispatch import Dispatcher, Ending, Progress
from razzsim.runner.executor import Executor, LocalExecutor
from razzsim.runner.jobs import warm_up
from razzsim.store import DiskError, HeldError, NotAResultError, Reader, StoreError, Writer


@dataclass(frozen=True)
class Options:
    """How to play, as opposed to what: none of it changes a number."""

    workers: int | None = None
    local: bool = False
    address: str | None = None
    metrics_port: int | None = None
    metrics_address: str = "127.0.0.1"


@dataclass
class Watch:
    """What the caller wants to hear while a run goes on."""

    note: Callable[[str], None] = lambda text: None
    progress: Callable[[Progress], None] = lambda progress: None


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

    def sql(self, sql: str, **params: Any) -> pa.Table:
        """The result of one SELECT as an Arrow table; params are the values of $name. Raises QueryError."""
        with Reader(self.path) as reader:
            return reader.query(sql, params)

    def standings(self) -> pa.Table:
        """The ranking with 95% intervals, best first."""
        return self.sql("SELECT * FROM standings ORDER BY structure, rank, entrant")

    def head_to_head(self) -> pa.Table:
        """Every entrant against every rival, paired on the same deals."""
        return self.sql("SELECT * FROM head_to_head ORDER BY structure, entrant, rival")

    def __repr__(self) -> str:
        return f"<razzsim run {self.run_id} in {self.path}: {self.status}>"


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
    return _play(plan, lambda: Writer.create(path, *_rows_of(plan)), options or Options(), watch)


def resume(out: str | Path, options: Options | None = None, watch: Watch | None = None) -> Run:
    """Go on with an unfinished run: only the missing chunks are played. Raises as `run` does."""
    path, watch = Path(out), watch or Watch()
    with Reader(path) as reader:
        if reader.held:
            raise reader.held
        row = reader.only_run()
    if row["status"] == "complete":
        watch.note(f"{path}: run {row['run_id']} is already complete")
        return Run(path, row)
    if row["engine_version"] != ENGINE_VERSION:
        raise StoreError(
            f"{path}: was played by engine version {row['engine_version']}, this is {ENGINE_VERSION}: start a new run"
        )
    plan = Plan.from_json(row["plan"])

    def go_on() -> Writer:
        writer = Writer.open(path, plan.run_id)
        writer.begin_attempt(socket.gethostname())
        return writer

    return _play(plan, go_on, options or Options(), watch)


def _existing(plan: Plan, path: Path) -> Run | None:
    """The finished run of the same plan in path; None for an empty file. Raises when the file is something else."""
    if path.stat().st_size == 0:
        raise StoreError(f"{path}: exists already, with nothing in it: remove it, or choose another --out")
    try:
        with Reader(path) as reader:
            if reader.held:
                raise HeldError(f"{reader.held}: choose another --out")
            row = reader.only_run()
    except NotAResultError as error:
        raise StoreError(f"{error}; nothing was written: choose another --out") from None
    if row["fingerprint"] != plan.fingerprint or row["deals"] != plan.deals:
        what = ", ".join(_differences(plan, Plan.from_json(row["plan"]), row))
        raise StoreError(f"{path}: holds another run, {row['run_id']}; what differs: {what}; choose another --out")
    if row["status"] != "complete":
        raise UnfinishedError(
            f"{path}: holds this run, unfinished ({row['status']}); go on with: razzsim resume {path}"
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


def _rows_of(plan: Plan) -> tuple[dict[str, Any], list[dict[str, Any]], list[dict[str, Any]]]:
    """The rows that describe a plan: run, entrants, line-ups."""
    limits = list(plan.structures.values())
    bets = {name: {table[name] for table in limits} for name in ("small_bet", "big_bet")}
    run_row = {
        "run_id": plan.run_id,
        "name": plan.name,
        "config": plan.config,
        "plan": plan.to_json(),
        "fingerprint": plan.fingerprint,
        "engine_version": ENGINE_VERSION,
        "schema_version": SCHEMA_VERSION,
        "razzsim_version": metadata.version("razzsim"),
        "seed": plan.seed,
        "game": plan.game,
        "rules": json.dumps(dict(plan.rules)),
        "schedule": plan.schedule,
        "seats": limits[0]["seats"],
        "small_bet_chips": bets["small_bet"].pop() if len(bets["small_bet"]) == 1 else None,
        "big_bet_chips": bets["big_bet"].pop() if len(bets["big_bet"]) == 1 else None,
        "deals": plan.deals,
        "batch_groups": plan.batch_groups,
        "status": "running",
        "host": socket.gethostname(),
        "versions": json.dumps(_versions()),
        "attempt": 1,
        "cpu_s": 0.0,
        "wall_s": 0.0,
        "created_at": datetime.now(UTC).replace(tzinfo=None),
    }
    entrants = [
        {
            "run_id": plan.run_id,
            "entrant": number,
            "name": entrant.name,
            "kind": entrant.kind,
            "source": entrant.source.text,
            "source_sha256": entrant.source.sha256,
            "params": json.dumps(dict(entrant.params)),
        }
        for number, entrant in enumerate(plan.entrants)
    ]
    line_ups = [
        {
            "run_id": plan.run_id,
            "line_up": line_up.number,
            "structure": line_up.structure,
            "entrants": list(line_up.entrants),
            "rotations": line_up.rotations,
            "small_bet_chips": plan.limits_of(line_up)["small_bet"],
            "big_bet_chips": plan.limits_of(line_up)["big_bet"],
            "deals_done": 0,
            "status": "open",
        }
        for line_up in plan.line_ups
    ]
    return run_row, entrants, line_ups


def _play(plan: Plan, open_writer: Callable[[], Writer], options: Options, watch: Watch) -> Run:
    signals = _Signals()
    n_workers = 0
    with Metrics(plan.run_id, _versions()) as metrics:
        if options.metrics_port is not None:  # before there is a file: a port in use leaves nothing behind
            port = metrics.serve(options.metrics_address, options.metrics_port)
            watch.note(f"metrics: http://{options.metrics_address}:{port}/metrics")
        with closing(open_writer()) as writer:
            start = time.monotonic()
            try:
                writer.snapshot()
                # Ray tells of lost workers on stdout, where only the answer belongs.
                with signals.caught(), redirect_stdout(sys.stderr), _executor(plan, options, watch) as executor:
                    signals.catch()  # Ray has put its own in the way
                    n_workers = executor.n_workers
                    ending = Dispatcher(plan, writer, executor, metrics).play(signals.asked_to_stop, watch.progress)
            except KeyboardInterrupt:
                ending = Ending("stopped", "interrupted")
                signals.number = signal.SIGINT
            except DiskError:
                raise  # nothing more can be written, not even this
            except BaseException as error:
                writer.finish("failed", " ".join(str(error).split()) or type(error).__name__, time.monotonic() - start)
                raise
            writer.finish(ending.status, ending.reason, time.monotonic() - start)
    with Reader(writer.path) as reader:
        row = reader.only_run()
    return Run(writer.path, row, workers=n_workers, signal_number=signals.number)


@contextmanager
def _executor(plan: Plan, options: Options, watch: Watch) -> Iterator[Executor]:
    if (took := warm_up(plan)) > 2:
        watch.note(f"compiled in {took:.0f} s (kept for the next runs)")
    executor: Executor
    if options.local:
        executor = LocalExecutor(plan)
    else:
        from razzsim.runner.cluster import ClusterExecutor

        executor = ClusterExecutor(plan, options.workers, options.address)
    try:
        yield executor
    finally:
        executor.close()


def _versions() -> dict[str, str]:
    packages = {name: metadata.version(name) for name in ("razzsim", "ray", "duckdb", "numba", "numpy", "pyarrow")}
    return {**packages, "python": platform.python_version(), "engine": str(ENGINE_VERSION)}


class _Signals:
    """SIGINT and SIGTERM as a question the dispatcher asks; the second one ends the process as usual."""

    def __init__(self) -> None:
        self.number: int | None = None
        self._is_main = threading.current_thread() is threading.main_thread()

    def asked_to_stop(self) -> bool:
        return self.number is not None

    def catch(self) -> None:
        if self._is_main:
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, self._note)

    @contextmanager
    def caught(self) -> Iterator[None]:
        before = [(number, signal.getsignal(number)) for number in (signal.SIGINT, signal.SIGTERM)]
        self.catch()
        try:
            yield
        finally:
            if self._is_main:
                for number, handler in before:
                    signal.signal(number, handler)

    def _note(self, number: int, _frame: object) -> None:
        if self.number is not None:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        self.number = number
