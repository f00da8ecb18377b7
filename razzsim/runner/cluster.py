"""Ray actors as an executor. They are disposable: one that dies or hangs is replaced, its jobs are reported lost."""

import os
import socket
import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import ray
from ray.exceptions import ObjectLostError, RayError, RayTaskError

from razzsim.lazy import collect_seldom
from razzsim.plan import Chunk, Plan
from razzsim.runner.executor import Crew, ExecutorError, Job, Outcome, Played, Task
from razzsim.runner.ray_node import ray_starts

_IN_FLIGHT = 2
"""Jobs an actor holds: one to play, one to begin with while the first one's answer travels."""
_READY_S = 600
"""Seconds an actor may take to make a run ready: on a node that lacks it, the kernel is compiled. That takes 20 s of
CPU, and minutes where others want the core, too; who is ended before begins anew.
"""
_NOBODY_S = 600
"""Seconds without any worker before a run gives up: a cluster that grows needs minutes for a node."""
_LOOK_EVERY_S = 1.0
"""Seconds between two looks at the size of the cluster."""
_MANY, _GATHER_S = 64, 0.03
"""With more calls than these, answers are waited for that much longer, in seconds, to be taken together."""
_END_S = 5.0
"""Seconds that processes of actors may take to end."""
_AT_ONCE = 256
"""So many chunks are taken at once, from those who wait longest: they are 200 KB each."""
_FAILED_STARTS = 3
"""So many actors that fail one after the other before any has started mean that none will."""
_CODEC = "lz4"


class Sent(NamedTuple):
    """A chunk's answer on its way: its sums apart, compressed, and how many bytes they are."""

    played: Played
    n_bytes: int
    packed: bytes


def sent(played: Played) -> Sent:
    """To be received.

    Ray sends up to 100 KB with the answer, and more by way of its store, which 1,000 chunks a second fill: the sums of
    four entrants, 205 KB, become 48 KB, and are themselves again in 0.09 ms (26 KB with zstd, in 0.3 ms).
    """
    if played.sums is None:
        return Sent(played, 0, b"")
    packed = pa.compress(played.sums, _CODEC, asbytes=True)
    return Sent(replace(played, sums=None), played.sums.nbytes, packed)


def received(answer: Sent) -> Played:
    """What was sent."""
    if not answer.packed:
        return answer.played
    sums = np.frombuffer(pa.decompress(answer.packed, answer.n_bytes, _CODEC), np.int64)
    return replace(answer.played, sums=sums)


class _Worker:
    """The actor: a workbench for every run."""

    def __init__(self) -> None:
        collect_seldom()
        from razzsim.runner import jobs  # here, for Numba comes with it: the driver does without

        self._jobs = jobs
        self._benches: dict[int, Any] = {}

    def start(self) -> tuple[str, int]:
        """Host and process, as soon as there is one with a CPU for it."""
        return socket.gethostname(), os.getpid()

    def make_ready(self, run: int, plan: list[Any], task: Task) -> None:
        """Load a run's compiled code; its chunks have their whole time for themselves. plan: the reference, packed."""
        bench = self._benches[run] = self._jobs.Workbench(Plan.from_json(ray.get(plan[0])), task)
        self._jobs.load_compiled(bench.plan)

    def play(self, run: int, chunks: list[list[int]]) -> tuple[str, list[Sent]]:
        return self._jobs.worker_name(), [sent(self._benches[run].play(Chunk(*numbers))) for numbers in chunks]

    def drop(self, run: int) -> None:
        self._benches.pop(run, None)


@dataclass
class _Call:
    """A job on its way: until make_ready is answered, its run is being loaded."""

    job: Job
    make_ready: Any
    play: Any


@dataclass
class _Actor:
    """start: the call that says it lives, None when it was answered. Until then the actor waits for a CPU, which shows
    a cluster that can grow what is wanted.
    """

    handle: Any
    start: Any
    process: tuple[str, int] | None = None
    """Host and process, once it has lived."""
    calls: deque[_Call] = field(default_factory=deque)
    runs: set[int] = field(default_factory=set)
    """It was asked to make these ready."""
    head_since: float = 0.0
    """Since when it is at the first of its calls, or at making it ready."""


class ClusterExecutor:
    """Plays on Ray, with as many actors as the cluster has CPUs, or as were asked for."""

    def __init__(self, workers: int | None) -> None:
        """Start the actors on the Ray of this process; workers: None = one a CPU. Raises ExecutorError."""
        self._wanted = workers
        self._runs: dict[int, tuple[Any, Task, float]] = {}
        """By run: its plan in Ray's store, what to do, seconds a chunk may take."""
        self._n_runs = 0
        self._actors: list[_Actor] = []
        self._ending: list[int] = []
        """Processes of this host that were told to end."""
        self._failed_starts = 0
        self._n_lost = 0
        self._unready: Counter[int] = Counter()
        """By run: actors in a row that could not be made ready for it."""
        self._looked = self._had_worker = time.monotonic()
        with ray_starts():
            self._follow_cluster()

    @property
    def n_workers(self) -> int:
        """Actors that have started."""
        return sum(actor.start is None for actor in self._actors)

    @property
    def crew(self) -> Crew:
        """Actors by state. Lost are those that had lived, whoever ended them."""
        busy = sum(bool(actor.calls) and actor.start is None for actor in self._actors)
        n_workers = self.n_workers
        return Crew(busy, n_workers - busy, len(self._actors) - n_workers, self._n_lost)

    @property
    def n_slots(self) -> int:
        """Two jobs an actor that has started."""
        return _IN_FLIGHT * self.n_workers

    def add(self, plan: Plan, task: Task) -> int:
        """Have actors know a run; each makes it ready when it gets the first job of it."""
        run, self._n_runs = self._n_runs, self._n_runs + 1
        with _while_ray_lives():
            self._runs[run] = ray.put(plan.to_json()), task, float(plan.limits["chunk_s"])
        return run

    def drop(self, run: int) -> None:
        """Forget a run."""
        del self._runs[run]
        for actor in self._actors:
            if run in actor.runs:
                with suppress(RayError):
                    actor.handle.drop.remote(run)

    def submit(self, job: Job) -> None:
        """Give the job to the actor with the fewest."""
        actor = min((a for a in self._actors if a.start is None), key=lambda a: len(a.calls))
        if not actor.calls:
            actor.head_since = time.monotonic()
        with _while_ray_lives():
            make_ready = None
            if job.run not in actor.runs:
                plan, task, _ = self._runs[job.run]
                actor.runs.add(job.run)
                make_ready = actor.handle.make_ready.remote(job.run, [plan], task)
            # As plain numbers, for what is pickled takes a tenth of a millisecond more.
            numbers = [[chunk.line_up, chunk.first_group, chunk.n_groups] for chunk in job.chunks]
            actor.calls.append(_Call(job, make_ready, actor.handle.play.remote(job.run, numbers)))

    def completed(self, timeout_s: float) -> list[Outcome]:
        """Answers, losses and timeouts since the last call. Raises ExecutorError when no worker comes."""
        calls = [ref for actor in self._actors for call in actor.calls for ref in (call.make_ready, call.play) if ref]
        calls += [actor.start for actor in self._actors if actor.start]
        outcomes: list[Outcome] = []
        n_taken = 0
        with _while_ray_lives():
            ready = set(gathered(calls, timeout_s))
            for actor in sorted(self._actors, key=lambda actor: actor.head_since):
                if actor.start in ready:
                    self._started(actor)
                if n_taken < _AT_ONCE:
                    outcomes += (harvested := self._harvest(actor, ready))
                    n_taken += sum(len(outcome.job.chunks) for outcome in harvested)
            if time.monotonic() - self._looked >= _LOOK_EVERY_S:
                self._follow_cluster()
        return outcomes

    def _follow_cluster(self) -> None:
        """As many actors as are wanted now; of those too many, the ones that have not started go."""
        self._looked = time.monotonic()
        n = self._wanted or max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._actors += [_new_actor() for _ in range(n - len(self._actors))]
        too_many = max(0, len(self._actors) - n)
        for actor in [actor for actor in self._actors if actor.start][:too_many]:
            self._remove(actor)
        if self.n_workers:
            self._had_worker = self._looked
        elif self._looked - self._had_worker > _NOBODY_S:
            raise ExecutorError(f"no worker has started in {_NOBODY_S} s: has the cluster a free CPU? (ray status)")

    def _started(self, actor: _Actor) -> None:
        try:
            actor.process = ray.get(actor.start)
        except RayError as error:
            self._remove(actor)  # the next look at the cluster brings another one
            self._failed_starts += actor.process is None
            self._n_lost += actor.process is not None
            if self._failed_starts >= _FAILED_STARTS and not self.n_workers:
                raise ExecutorError(f"workers do not start: {_first_line(error)}") from error
        else:
            self._failed_starts, actor.start = 0, None

    def _harvest(self, actor: _Actor, ready: set[Any]) -> list[Outcome]:
        """Calls of an actor are answered in order: take the finished ones from the front."""
        outcomes: list[Outcome] = []
        while actor.calls:
            call = actor.calls[0]
            try:
                if call.make_ready in ready:
                    ray.get(call.make_ready)
                    call.make_ready, actor.head_since = None, time.monotonic()
                    self._unready[call.job.run] = 0
                if call.make_ready or call.play not in ready:
                    break
                worker, played = ray.get(call.play)
                outcomes.append(Outcome(call.job, list(map(received, played)), worker))
            except RayError as error:
                outcome = _loss(call.job, error)
                if call.make_ready:
                    outcome = self._not_ready(outcome)
                if outcome.lost == "worker_lost" or call.make_ready:
                    return outcomes + self._replaced(actor, outcome)
                outcomes.append(outcome)
            actor.calls.popleft()
            actor.head_since = time.monotonic()
        return outcomes + self._overdue(actor)

    def _overdue(self, actor: _Actor) -> list[Outcome]:
        """What is lost with an actor that takes too long."""
        if not actor.calls:
            return []
        call = actor.calls[0]
        run = self._runs.get(call.job.run)
        limit_s = _READY_S if call.make_ready else run[2] if run else 0.0  # nobody waits for a run that has ended
        if time.monotonic() - actor.head_since <= limit_s:
            return []
        if call.make_ready:
            late = Outcome(call.job, lost="timeout", message=f"not ready to play after {limit_s:g} s")
            return self._replaced(actor, self._not_ready(late))
        message = f"not done after {limit_s:g} s (limits: chunk_s)"
        return self._replaced(actor, Outcome(call.job, lost="timeout", message=message))

    def _not_ready(self, outcome: Outcome) -> Outcome:
        """What it means that an actor cannot play a run: nothing for the chunk, and little as long as others can."""
        self._unready[outcome.job.run] += 1
        if self._unready[outcome.job.run] < _FAILED_STARTS:
            return replace(outcome, blamed=False)
        return replace(outcome, blamed=False, error=ExecutorError(f"workers cannot play: {outcome.message}"))

    def _replaced(self, actor: _Actor, first: Outcome) -> list[Outcome]:
        """A new actor for a dead one; jobs that waited behind the first are lost with it, but not to blame."""
        waiting = [
            Outcome(call.job, lost="worker_lost", message="its worker was lost", blamed=False)
            for call in actor.calls
            if call.job is not first.job
        ]
        self._remove(actor)
        self._n_lost += 1
        for other in self._actors:  # idle ones may be dead as well, and would take the jobs that are tried again
            if not other.start and not other.calls:
                other.start = other.handle.start.remote()
        self._actors.append(_new_actor())
        return [first, *waiting]

    def _remove(self, actor: _Actor) -> None:
        self._actors.remove(actor)
        if actor.process and actor.process[0] == socket.gethostname():
            self._ending.append(actor.process[1])
        with suppress(RayError):
            ray.kill(actor.handle)

    def close(self) -> None:
        """Give up all jobs. Actors are ended, for what they still record would come after the sweeping.

        Those of this host are waited for: Ray answers at once, their processes end up to 0.4 s later.
        """
        for actor in list(self._actors):
            self._remove(actor)
        gives_up = time.monotonic() + _END_S
        while any(Path(f"/proc/{pid}").exists() for pid in self._ending) and time.monotonic() < gives_up:
            time.sleep(0.01)


def gathered(calls: list[Any], timeout_s: float) -> list[Any]:
    """Those of the calls that were answered; waits for the first one, and with many calls a moment for more.

    A look at 2,000 of them takes some milliseconds: one for each answer would keep the driver busy.
    """
    if not calls:  # none is left of the workers that could not start
        time.sleep(timeout_s)
        return []
    ray.wait(calls, timeout=timeout_s)
    if len(calls) > _MANY:
        time.sleep(_GATHER_S)
    return list(ray.wait(calls, num_returns=len(calls), timeout=0)[0])


def _new_actor() -> _Actor:
    options = {"num_cpus": 1, "max_restarts": 0, "max_task_retries": 0, "scheduling_strategy": "SPREAD"}
    handle = ray.remote(_Worker).options(**options).remote()
    return _Actor(handle, handle.start.remote())


@contextmanager
def _while_ray_lives() -> Iterator[None]:
    try:
        yield
    except RayError as error:
        raise ExecutorError(f"Ray was lost: {_first_line(error)}") from error


def _loss(job: Job, error: RayError) -> Outcome:
    """A job that came back as an exception: one of our code, or whatever Ray says of a worker that was lost.

    Nobody is to blame for a node that was taken away with notice, or for an answer that went with its node.
    """
    if isinstance(error, RayTaskError):
        cause = error.cause if isinstance(error.cause, ExecutorError) else None
        return Outcome(job, lost="error", message=_first_line(error), error=cause)
    blamed = not (isinstance(error, ObjectLostError) or getattr(error, "preempted", False))
    return Outcome(job, lost="worker_lost", message=_first_line(error), blamed=blamed)


def _first_line(error: Exception) -> str:
    """What happened, in one line; of an exception in a worker, its own words."""
    cause = getattr(error, "cause", None)
    words = f"{type(cause).__name__}: {cause}" if cause else str(error)
    return next((line.strip() for line in words.splitlines() if line.strip()), type(error).__name__)[:300]
