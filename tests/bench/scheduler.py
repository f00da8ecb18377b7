"""How many chunks a second one driver can hand out, take back and commit: the ceiling of a cluster's size."""

import resource
import tempfile
import time
from collections import deque
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from razzsim.metrics import Metrics
from razzsim.plan import Plan, plan_from_file
from razzsim.runner.dispatch import Dispatcher
from razzsim.runner.executor import Crew, Job, Outcome, Task
from razzsim.runner.jobs import Workbench
from razzsim.runner.rows import rows_of
from razzsim.store import CommittedChunk, Writer
from razzsim.sums import HEADER, Int64s
from tests.bench.harness import ROOT, Result, result
from tests.bench.sleeper import SLEEP_S, Sleeper, played_chunks

_GROUPS = 4096
"""Deals of a chunk: enough to touch nearly every row of the counters, as a chunk of a second does."""
_ACTORS, _THREADS = 8, 128


def scheduler(quick: bool) -> list[Result]:
    """Chunks that take no time, by simulated slots; and by Ray actors whose many threads sleep a second a chunk.

    Dispatcher, writer and result file are the real ones, and so are the sums: those of the quickstart's first deals.
    """
    results = []
    n_chunks = 3_000 if quick else 10_000  # a driver of many workers holds 1,024 until it commits
    for slots in (8, 512) if quick else (1, 8, 64, 512):
        rate, told = _played(_Instant(slots), n_chunks)
        results.append(result("scheduler", f"no-op chunks, {slots} slots", [rate], "chunks/s"))
    for which, name in (("first", "the first"), ("last", f"the last of {n_chunks:,}")):
        what = f"commit, {name} chunks"
        results.append(result("scheduler", what, [told[f"{which}_commits_s"] * 1e6], "us CPU a chunk"))
    if not quick:
        executor = _Sleepers()
        rate, told = _played(executor, 20_000)
        executor.close()
        share = rate * SLEEP_S / (_ACTORS * _THREADS)
        what = f"{_ACTORS} Ray actors of {_THREADS} threads that sleep {SLEEP_S:g} s a chunk"
        results += [
            result("scheduler", what, [rate], "chunks/s"),
            result("scheduler", f"share of {_ACTORS * _THREADS:,} busy slots", [share], "times"),
            result("scheduler", "driver's CPU a chunk", [told["cpu_s"] * 1e6], "us"),
            result("scheduler", "driver, 20,000 chunks", [told["peak_mib"]], "MiB"),
        ]
    return results


def _played(executor: "_Instant", n_chunks: int) -> tuple[float, dict[str, float]]:
    """Chunks a second between the first and the last commit; CPU seconds a chunk and peak memory of this process."""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "x.yaml"
        text = (ROOT / "configs" / "quickstart.yaml").read_text().replace("../strategies", str(ROOT / "strategies"))
        text = text.replace("deals: 1700000", f"deals: {n_chunks * _GROUPS}\nbatch_groups: {_GROUPS}")
        config.write_text(text)
        plan = plan_from_file(config)
        played = Workbench(plan).play(next(plan.chunks()))
        assert played.sums is not None and plan.n_chunks == n_chunks
        executor.sums = played.sums.copy()
        executor.sums[HEADER.index("chunk_ns")] = int(SLEEP_S * 1e9)  # as long as the sleepers take
        writer = _Timed.create(Path(folder) / "x.duckdb", *rows_of(plan))
        dispatcher, cpu = Dispatcher(executor), time.process_time()
        commits: list[tuple[float, int]] = []
        dispatcher.add(
            plan, Task(), writer, Metrics("x", {}), lambda progress: commits.append((time.monotonic(), progress.hands))
        )
        dispatcher.play(lambda: False)
        if error := dispatcher.endings[0].error:
            raise error
        cpu = time.process_time() - cpu
        writer.finish("complete", "", 0)
        writer.close()
        assert commits[-1][1] == plan.hands
        first, last = next(c for c in commits if c[1]), commits[-1]
        rate = (last[1] - first[1]) / (6 * _GROUPS) / (last[0] - first[0])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    tenth = len(writer.took) // 10 or 1
    first, last = (
        sum(s for _, s in some) / sum(n for n, _ in some) for some in (writer.took[:tenth], writer.took[-tenth:])
    )
    return rate, {"cpu_s": cpu / n_chunks, "peak_mib": peak, "first_commits_s": first, "last_commits_s": last}


class _Timed(Writer):
    """Notes what its commits cost."""

    def commit(self, chunks: Sequence[CommittedChunk]) -> list[CommittedChunk]:
        cpu = time.process_time()
        new = super().commit(chunks)
        if new:
            self.took.append((len(new), time.process_time() - cpu))
        return new

    @cached_property
    def took(self) -> list[tuple[int, float]]:
        """By commit: chunks, seconds of CPU."""
        return []


class _Instant:
    """Workers that take no time."""

    sums: Int64s

    def __init__(self, slots: int) -> None:
        self.n_workers = self.n_slots = slots
        self.crew = Crew(busy=slots)
        self._jobs: deque[Job] = deque()

    def add(self, plan: Plan, task: Task) -> int:
        return 0

    def drop(self, run: int) -> None:
        pass

    def submit(self, job: Job) -> None:
        self._jobs.append(job)

    def completed(self, timeout_s: float) -> list[Outcome]:
        outcomes = [Outcome(job, played_chunks(job, self.sums), "bench") for job in self._jobs]
        self._jobs.clear()
        return outcomes

    def close(self) -> None:
        pass


class _Sleepers(_Instant):
    """Ray actors of many threads: as much traffic as a thousand cores make, from two."""

    def __init__(self) -> None:
        import ray

        from razzsim.runner.cluster import gathered, received
        from razzsim.runner.ray_node import RayNode

        super().__init__(2 * _ACTORS * _THREADS)
        self._node = RayNode(2)
        self._node.wait()
        self._ray, self._gathered, self._received = ray, gathered, received
        self._actors: list[Any] = []
        self._calls: dict[Any, Job] = {}
        self._next = 0

    def submit(self, job: Job) -> None:
        if not self._actors:
            actor = self._ray.remote(num_cpus=0, max_concurrency=_THREADS)(Sleeper)
            self._actors = [actor.remote(self.sums) for _ in range(_ACTORS)]
        actor = self._actors[self._next % _ACTORS]
        self._next += 1
        numbers = [[chunk.line_up, chunk.first_group, chunk.n_groups] for chunk in job.chunks]
        self._calls[actor.play.remote(job.run, numbers)] = job

    def completed(self, timeout_s: float) -> list[Outcome]:
        calls = list(self._calls)
        if not calls:
            return []
        ready = self._gathered(calls, timeout_s)
        answers = zip(ready, self._ray.get(ready), strict=True)
        received = self._received
        outcomes = []
        for call, (_, sent) in answers:
            job = self._calls.pop(call)
            arrays = [received(one).sums for one in sent]  # all of them, as a run does, though they are the same
            outcomes.append(Outcome(job, played_chunks(job, arrays[0]), "bench"))
        return outcomes

    def close(self) -> None:
        self._node.close()
