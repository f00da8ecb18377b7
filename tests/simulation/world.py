"""A clock, nodes with workers that fail, and result files that survive their drivers."""

import heapq
import random
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from razzsim.plan import Chunk, Plan
from razzsim.runner.executor import Crew, Failure, Job, Outcome, Played, Task
from razzsim.store import CommittedChunk, DiskError, StoreError
from razzsim.store.spans import Spans
from razzsim.sums import BLOCKS, Int64s, header_of, pack

Key = tuple[int, int]


class DriverDies(BaseException):
    """SIGKILL, or power, at this point."""


@dataclass
class Faults:
    """How likely each fault is, once a step or an answer; all 0: nothing goes wrong."""

    worker_dies: float = 0.0
    node_dies: float = 0.0
    node_comes: float = 0.0
    hangs: float = 0.0
    doubled: float = 0.0
    late: float = 0.0
    preempted: float = 0.0
    errors: float = 0.0
    driver_dies: float = 0.0
    disk_full: float = 0.0
    stops: float = 0.0
    taken_for_dead: float = 0.0


@dataclass
class World:
    """What every simulated thing shares: the draw, the time, and a trace to read when a seed fails."""

    seed: int
    trace: bool = False
    now: float = 0.0
    steps: int = 0
    draw: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.draw = random.Random(self.seed)

    def clock(self) -> float:
        """Seconds."""
        return self.now

    def happens(self, chance: float) -> bool:
        """Whether a fault of this chance happens now."""
        return chance > 0 and self.draw.random() < chance

    def say(self, *words: object) -> None:
        """A line of the trace."""
        if self.trace:
            print(f"{self.now:9.3f}", *words)


@cache
def answer(chunk: Chunk) -> Int64s:
    """The sums of a chunk, a function of the chunk alone: what it is does not matter, that it is counted once does."""
    header = {
        "line_up": chunk.line_up,
        "first_group": chunk.first_group,
        "n_groups": chunk.n_groups,
        "n_hands": 2 * chunk.n_groups,
        "n_decisions": 1 + chunk.line_up * 1_000_003 + chunk.first_group * 7919,
        "chunk_ns": 100_000_000 * chunk.n_groups,
        "cpu_ns": 1,
    }
    return pack(header, {name: np.zeros((0, len(columns)), np.int64) for name, columns in BLOCKS.items()})


class ResultFile:
    """What is on the disk: it outlives drivers. An attempt's id fences out drivers that were thought dead."""

    def __init__(self) -> None:
        self.chunks: dict[Key, Int64s] = {}
        self.totals = {"chunks": 0, "groups": 0, "hands": 0, "decisions": 0, "rows": 0, "bytes": 0}
        self.failures: dict[tuple[int, ...], str] = {}
        self.stopped: set[int] = set()
        self.attempt = 0

    def noted(self, outcome: str) -> list[tuple[int, ...]]:
        """Keys of failures: line-up, first group, try, the driver's attempt."""
        return [key for key, found in self.failures.items() if found == outcome]


class SimulatedSink:
    """One driver's hold on a result file, as a Writer has it: in one transaction, or not at all."""

    def __init__(self, file: ResultFile, world: World, faults: Faults) -> None:
        file.attempt += 1
        self._file, self._world, self._faults, self._attempt = file, world, faults, file.attempt

    def gaps(self, line_up: int, deals: int) -> list[tuple[int, int]]:
        spans = Spans()
        for (number, first), packed in self._file.chunks.items():
            if number == line_up:
                spans.add(first, first + header_of(packed)["n_groups"])
        return spans.gaps(0, deals)

    def totals(self) -> dict[str, int]:
        return dict(self._file.totals)

    def failure_counts(self) -> dict[str, int]:
        counts: dict[str, int] = {}
        for outcome in self._file.failures.values():
            counts[outcome] = counts.get(outcome, 0) + 1
        return counts

    def commit(self, chunks: Sequence[CommittedChunk]) -> list[CommittedChunk]:
        self._write()
        new = {}
        for chunk in chunks:
            header = header_of(chunk.sums)
            key = header["line_up"], header["first_group"]
            if key not in self._file.chunks:
                new.setdefault(key, chunk)
        self._may_die("before a commit")
        for key, chunk in new.items():
            self._file.chunks[key] = chunk.sums
            header = header_of(chunk.sums)
            told = {"chunks": 1, "rows": 0, "bytes": 0} | {
                name: header[f"n_{name}"] for name in ("groups", "hands", "decisions")
            }
            self._file.totals = {name: total + told[name] for name, total in self._file.totals.items()}
        self._may_die("after a commit")
        return list(new.values())

    def check_space(self) -> None:
        self._write()

    def add_failure(self, line_up: int, first_group: int, attempt: int, **columns: Any) -> bool:
        self._write()
        outcome = columns["outcome"]
        key = (line_up, first_group, attempt, self._attempt, *map(ord, outcome))
        is_new = key not in self._file.failures
        self._file.failures.setdefault(key, outcome)
        return is_new

    def stop_line_up(self, line_up: int) -> None:
        self._write()
        self._file.stopped.add(line_up)

    def snapshot(self) -> None:
        self._write()
        self._may_die("at a snapshot")

    def _may_die(self, where: str) -> None:
        if self._world.happens(self._faults.driver_dies):
            self._world.say("driver dies", where)
            raise DriverDies

    def _write(self) -> None:
        if self._attempt != self._file.attempt:
            raise StoreError("another driver took over")
        if self._world.happens(self._faults.disk_full):
            self._world.say("disk full")
            raise DiskError("no space left")


@dataclass
class _Worker:
    node: int
    queue: deque[Job] = field(default_factory=deque)
    done_at: float = 0.0
    """When the first of its jobs is done; far away when it hangs."""
    since: float = 0.0


_NEVER = 1e12


class SimulatedExecutor:
    """Workers on nodes that come and go. It keeps the promises of `Executor`, and no others."""

    def __init__(self, world: World, faults: Faults, fails: dict[Key, Failure], poisoned: set[Key]) -> None:
        """fails: chunks that a strategy does not finish; poisoned: chunks that no worker survives."""
        self._world, self._faults, self._fails, self._poisoned = world, faults, fails, poisoned
        self._plans: dict[int, Plan] = {}
        self._open: set[int] = set()
        self._late: list[tuple[float, int, Outcome]] = []
        self._n_late = 0
        self._n_nodes = self._n_lost = 0
        self._workers: list[_Worker] = []
        self.lost_alone: set[tuple[int, Key]] = set()
        """By run: chunks that were lost as the only one of their job, and to blame."""
        self.on_submit: Callable[[Job], None] = lambda job: None
        for _ in range(world.draw.choice([1, 1, 2, 3])):
            self._add_node()

    @property
    def n_workers(self) -> int:
        return len(self._workers)

    @property
    def crew(self) -> Crew:
        busy = sum(bool(worker.queue) for worker in self._workers)
        return Crew(busy, len(self._workers) - busy, n_lost=self._n_lost)

    @property
    def n_slots(self) -> int:
        return 2 * len(self._workers)

    def add(self, plan: Plan, task: Task) -> int:
        run = len(self._plans)
        self._plans[run] = plan
        self._open.add(run)
        return run

    def drop(self, run: int) -> None:
        self._open.remove(run)

    def submit(self, job: Job) -> None:
        assert job.run in self._open, "a job of a run that has ended"
        assert sum(len(worker.queue) for worker in self._workers) < self.n_slots, "more than there are slots for"
        worker = min(self._workers, key=lambda worker: len(worker.queue))
        worker.queue.append(job)
        if len(worker.queue) == 1:
            self._begin(worker)
        self.on_submit(job)
        self._world.say("out", job.run, job.attempt, [(c.line_up, c.first_group) for c in job.chunks])

    def completed(self, timeout_s: float) -> list[Outcome]:
        self._world.steps += 1
        assert self._world.steps < 5_000, "it hangs"
        if self._world.happens(self._faults.driver_dies):
            self._world.say("driver dies")
            raise DriverDies
        outcomes = self._nodes_change()
        until = self._world.now + timeout_s
        times = [worker.done_at for worker in self._workers if worker.queue]
        times += [self._deadline(worker) for worker in self._workers if worker.queue]
        times += [at for at, _, _ in self._late[:1]]
        self._world.now = max(self._world.now, until if outcomes else min([until, *times]))
        while self._late and self._late[0][0] <= self._world.now:
            outcomes.append(heapq.heappop(self._late)[2])
        for worker in list(self._workers):
            outcomes += self._answers(worker)
        self._world.draw.shuffle(outcomes)
        return outcomes

    def close(self) -> None:
        self._workers.clear()

    def _add_node(self) -> None:
        self._n_nodes += 1
        self._workers += [_Worker(self._n_nodes) for _ in range(self._world.draw.choice([1, 2, 4]))]

    def _begin(self, worker: _Worker) -> None:
        worker.since = self._world.now
        hangs = self._world.happens(self._faults.hangs)
        worker.done_at = _NEVER if hangs else self._world.now + self._world.draw.expovariate(2.0)

    def _deadline(self, worker: _Worker) -> float:
        job = worker.queue[0]
        return worker.since + (self._plans[job.run].limits["chunk_s"] if job.run in self._open else 0.0)

    def _nodes_change(self) -> list[Outcome]:
        outcomes: list[Outcome] = []
        if not self._workers or self._world.happens(self._faults.node_comes):
            self._add_node()
        if self._world.happens(self._faults.node_dies):
            node = self._world.draw.choice(self._workers).node
            self._world.say("node dies", node)
            for worker in [worker for worker in self._workers if worker.node == node]:
                outcomes += self._lose(worker, "worker_lost", blamed=not self._world.happens(self._faults.preempted))
                self._workers.remove(worker)
        if self._workers and self._world.happens(self._faults.worker_dies):
            outcomes += self._replace(self._world.draw.choice(self._workers), "worker_lost")
        return outcomes

    def _answers(self, worker: _Worker) -> list[Outcome]:
        outcomes: list[Outcome] = []
        while worker.queue and worker.done_at <= self._world.now:
            keys = {(chunk.line_up, chunk.first_group) for chunk in worker.queue[0].chunks}
            if worker.queue[0].run == 0 and keys & self._poisoned:
                return outcomes + self._replace(worker, "worker_lost")
            job = worker.queue.popleft()
            if self._world.happens(self._faults.errors):
                outcomes.append(self._lost(job, "error", blamed=True))
            else:
                outcomes.append(self._played(job))
                if self._world.happens(self._faults.doubled):
                    self._postpone(outcomes[-1])
            if worker.queue:
                self._begin(worker)
        if worker.queue and self._deadline(worker) <= self._world.now:
            outcomes += self._replace(worker, "timeout")
        return outcomes

    def _played(self, job: Job) -> Outcome:
        played = []
        for chunk in job.chunks:
            failure = self._fails.get((chunk.line_up, chunk.first_group)) if job.run == 0 else None
            played.append(Played(chunk, None if failure else answer(chunk), failure))
        return Outcome(job, played, "worker")

    def _lose(self, worker: _Worker, lost: str, *, blamed: bool = True) -> list[Outcome]:
        """All it held; what it had done already may still arrive, or twice."""
        self._n_lost += 1
        outcomes = []
        for at, job in enumerate(worker.queue):
            outcomes.append(self._lost(job, lost, blamed=blamed and at == 0))
            if self._world.happens(self._faults.late):
                self._postpone(self._played(job))
        worker.queue.clear()
        return outcomes

    def _lost(self, job: Job, lost: str, *, blamed: bool) -> Outcome:
        if blamed and len(job.chunks) == 1:
            self.lost_alone.add((job.run, (job.chunks[0].line_up, job.chunks[0].first_group)))
        return Outcome(job, lost=lost, message=lost, blamed=blamed)

    def _replace(self, worker: _Worker, lost: str) -> list[Outcome]:
        self._world.say(lost, worker.node)
        outcomes = self._lose(worker, lost)
        self._workers.remove(worker)
        self._workers.append(_Worker(worker.node))
        return outcomes

    def _postpone(self, outcome: Outcome) -> None:
        self._n_late += 1
        heapq.heappush(self._late, (self._world.now + self._world.draw.uniform(0, 3), self._n_late, outcome))


class Counted:
    """The counters of `Metrics` without a registry, whose making takes ten times as long as a schedule."""

    is_watched = False

    def __init__(self) -> None:
        self.hands = 0
        self.chunks: dict[str, int] = {}

    def start_from(self, totals: Mapping[str, int], failures: Mapping[str, int], deals: int) -> None:
        self.committed(totals)
        for outcome, count in failures.items():
            self.failed(outcome, count)

    def committed(self, added: Mapping[str, int]) -> None:
        self.hands += added["hands"]
        self.failed("committed", added["chunks"])

    def failed(self, outcome: str, count: int = 1) -> None:
        self.chunks[outcome] = self.chunks.get(outcome, 0) + count

    def timed(self, chunk_s: list[float], commit_s: float) -> None:
        assert all(seconds > 0 for seconds in chunk_s)

    def retried(self, n_chunks: int) -> None:
        assert n_chunks >= 0

    def show(self, *, hands_per_s: float, workers: Mapping[str, int], n_lost: int, in_flight: int, queued: int) -> None:
        assert min(hands_per_s, *workers.values(), n_lost, in_flight, queued) >= 0
