"""One attempt at a plan: the writer, the workers and the dispatcher put together."""

import signal
import socket
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pyarrow import ArrowInvalid

from razzsim.metrics import Metrics
from razzsim.plan import Plan
from razzsim.runner.compaction import compact
from razzsim.runner.dispatch import Dispatcher
from razzsim.runner.executor import Executor, Task
from razzsim.runner.open_run import Ending
from razzsim.runner.rows import rows_of, versions
from razzsim.runner.session import Options, Watch
from razzsim.runner.signals import Signals
from razzsim.runner.warm_up import warm_up
from razzsim.store import DiskError, Writer
from razzsim.store.database import parts_folder

if TYPE_CHECKING:
    from razzsim.runner.ray_node import RayNode


def play(
    plan: Plan,
    path: Path,
    *,
    is_new: bool,
    node: "RayNode | None",
    options: Options,
    watch: Watch,
    signals: Signals,
) -> int:
    """Play what is missing in the result file, on a Ray that may still be starting, or without; returns the workers."""
    n_workers = 0
    with Metrics(plan.run_id, versions()) as metrics:
        if options.metrics_port is not None:  # before there is a file: a port in use leaves nothing behind
            port = metrics.serve(options.metrics_address, options.metrics_port)
            watch.note(f"metrics: http://{options.metrics_address}:{port}/metrics")
        with closing(_writer(plan, path, is_new, options.label)) as writer:
            start = time.monotonic()
            try:
                writer.snapshot()
                with executor_for(plan, options.workers, node, watch) as executor:
                    dispatcher = Dispatcher(executor)
                    run = dispatcher.add(plan, _task(plan, path), writer, metrics, watch.progress)
                    dispatcher.play(signals.asked_to_stop)
                    n_workers, ending = executor.n_workers, dispatcher.endings[run.run]
                if ending.error:
                    raise ending.error
            except KeyboardInterrupt:
                ending = Ending("stopped", "interrupted")
                signals.number = signal.SIGINT
            except DiskError:
                raise  # nothing more can be written, not even this
            except BaseException as error:
                writer.finish("failed", " ".join(str(error).split()) or type(error).__name__, time.monotonic() - start)
                raise
            writer.finish(ending.status, ending.reason, time.monotonic() - start)
            if plan.record["level"] != "sums":
                _tidy(writer, plan.run_id, watch, is_complete=ending.status == "complete")
    return n_workers


def _tidy(writer: Writer, run_id: str, watch: Watch, *, is_complete: bool) -> None:
    """Leave few and large files of rows. What was played is committed already: a failure here is only told.

    An interrupted run ends at once, with its many files: whoever sent SIGTERM may not wait.
    """
    try:
        writer.sweep_parts()
        if is_complete:
            compact(writer, run_id)
            writer.show_parts()
    except (OSError, ArrowInvalid, DiskError) as error:
        watch.note(f"rows stay in many files: {' '.join(str(error).split())[:300]}")


def _writer(plan: Plan, path: Path, is_new: bool, label: str | None) -> Writer:
    if is_new:
        return Writer.create(path, *rows_of(plan, label))
    writer = Writer.open(path, plan.run_id)
    writer.begin_attempt(socket.gethostname())
    return writer


def _task(plan: Plan, path: Path) -> Task:
    level, sample = plan.record["level"], plan.record["sample"]
    return Task(level, sample, folder=None if level == "sums" else str(parts_folder(path)))


@contextmanager
def executor_for(plan: Plan, workers: int | None, node: "RayNode | None", watch: Watch) -> Iterator[Executor]:
    """Workers on a Ray that may still be starting, or this process; what is compiled for the plan is noted."""
    if (took := warm_up(plan)) > 2:
        watch.note(f"compiled in {took:.0f} s (kept for the next runs)")
    executor: Executor
    if node is None:
        from razzsim.runner.local import LocalExecutor  # with Numba, which the driver of a Ray does without

        executor = LocalExecutor()
    else:
        from razzsim.runner.cluster import ClusterExecutor

        executor = ClusterExecutor(workers, node)
    try:
        yield executor
    finally:
        executor.close()
