"""One attempt at a plan: the writer, the workers and the dispatcher put together."""

import shlex
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from razzsim.metrics import Metrics
from razzsim.plan import Plan
from razzsim.runner.compaction import tidy
from razzsim.runner.dispatch import Dispatcher
from razzsim.runner.executor import Executor, Task
from razzsim.runner.open_run import Ending
from razzsim.runner.outputs import Output
from razzsim.runner.rows import versions
from razzsim.runner.session import Options, Watch
from razzsim.runner.shared import shared_with_workers
from razzsim.runner.signals import Signals
from razzsim.runner.warm_up import warm_up
from razzsim.store import DiskError
from razzsim.store.errors import LowSpaceError

if TYPE_CHECKING:
    from razzsim.runner.ray_node import RayNode


def play(
    plan: Plan,
    output: Output,
    *,
    is_new: bool,
    node: "RayNode | None",
    options: Options,
    watch: Watch,
    signals: Signals,
) -> int:
    """Play what is missing in the result, on a Ray that may still be starting, or without; returns the workers."""
    n_workers = 0
    with Metrics(plan.run_id, versions(), output.path.parent) as metrics:
        _publish(metrics, plan, options, watch)  # before there is a file: a port in use leaves nothing behind
        with output.writer(plan, is_new=is_new, label=options.label) as writer:
            start, low_space = time.monotonic(), None
            try:
                writer.snapshot()
                if plan.n_chunks:
                    with (
                        shared_with_workers(_task(plan, output), plan.run_id, options.address) as task,
                        executor_for(plan, options.workers, node, watch, signals, metrics.compiled) as executor,
                    ):
                        dispatcher = Dispatcher(executor)
                        run = dispatcher.add(plan, task, writer, metrics, watch.progress)
                        dispatcher.play(signals.asked_to_stop)
                        n_workers, ending = executor.n_workers, dispatcher.endings[run.run]
                else:
                    ending = Ending("complete", "there are fewer chunks than shards: none for this one")
                if ending.error:
                    raise ending.error
            except KeyboardInterrupt:
                ending = Ending("stopped", "interrupted")
                signals.number = signals.number or signal.SIGINT
            except LowSpaceError as error:
                ending, low_space = Ending("stopped", str(error)), error
            except DiskError:
                raise  # nothing more can be written, not even this
            except BaseException as error:
                ending = Ending.by(error)
                writer.finish(ending.status, ending.reason, time.monotonic() - start)
                raise
            writer.finish(ending.status, ending.reason, time.monotonic() - start)
            if ending.status == "complete":
                metrics.complete()
            if plan.record["level"] != "sums":
                # The parts of a shard have holes, and a file that several were put together to would hide them.
                tidy(writer, plan.run_id, watch.note, is_complete=ending.status == "complete" and plan.shard is None)
            if low_space:
                raise LowSpaceError(
                    f"{low_space}: make room, then go on with: razzsim resume {shlex.quote(str(output))}"
                )
    return n_workers


def _publish(metrics: Metrics, plan: Plan, options: Options, watch: Watch) -> None:
    """Let others see the metrics, where that is asked for."""
    if options.metrics_port is not None:
        port = metrics.serve(options.metrics_address, options.metrics_port)
        watch.note(f"metrics: http://{options.metrics_address}:{port}/metrics")
    if options.pushgateway is not None:  # shards of a plan are one run: they must not overwrite each other
        shard = {"shard": f"{plan.shard.number}-of-{plan.shard.of}"} if plan.shard else {}
        metrics.push(options.pushgateway, shard, watch.note)


def _task(plan: Plan, output: Output) -> Task:
    level, sample = plan.record["level"], plan.record["sample"]
    return Task(level, sample, folder=None if level == "sums" else output.parts)


@contextmanager
def executor_for(
    plan: Plan,
    workers: int | None,
    node: "RayNode | None",
    watch: Watch,
    signals: Signals | None = None,
    compiled: Callable[[float], None] = lambda seconds: None,
) -> Iterator[Executor]:
    """Workers on a Ray that may still be starting, or this process; what is compiled for the plan is noted.

    compiled: hears how many seconds that took.
    """
    signals = signals or Signals()
    with signals.at_once():
        took = warm_up(plan)
    compiled(took)
    if took > 2:
        watch.note(f"compiled in {took:.0f} s (kept for the next runs)")
    executor: Executor
    if node is None:
        from razzsim.runner.local import LocalExecutor  # with Numba, which the driver of a Ray does without

        executor = LocalExecutor()
    else:
        from razzsim.runner.cluster import ClusterExecutor

        node.wait(signals.asked_to_stop)
        executor = ClusterExecutor(workers)
    try:
        yield executor
    finally:
        executor.close()
