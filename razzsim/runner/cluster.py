"""Ray actors as an executor. They are disposable: one that dies or hangs is replaced, its jobs are reported lost."""

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import ray
from ray.exceptions import RayActorError, RayError

from razzsim.lazy import collect_seldom
from razzsim.plan import Chunk, Plan
from razzsim.runner.executor import ExecutorError, Job, Outcome, Played, Task
from razzsim.runner.ray_node import RayNode, ray_starts

_IN_FLIGHT = 2
"""Jobs an actor holds: one to play, one to begin with while the first one's answer travels."""
_START_S = 120
"""Seconds an actor may take to start: a cold node compiles first."""


class _Player:
    """The actor: a workbench and its name."""

    def __init__(self, plan: str, task: Task) -> None:
        collect_seldom()
        from razzsim.runner import jobs  # here, for Numba comes with it: the driver does without

        self._jobs, self._bench = jobs, jobs.Workbench(Plan.from_json(plan), task)

    def start(self) -> None:
        """Load the compiled code; chunks have their whole time for themselves."""
        self._jobs.load_compiled(self._bench.plan)

    def play(self, chunks: tuple[Chunk, ...]) -> tuple[str, list[Played]]:
        return self._jobs.worker_name(), [self._bench.play(chunk) for chunk in chunks]


@dataclass
class _Actor:
    handle: Any
    start: Any
    """The call that loads, or compiles; None when it was answered."""
    calls: deque[tuple[Any, Job]] = field(default_factory=deque)
    head_since: float = field(default_factory=time.monotonic)
    """Since when it plays the first of its calls, or starts."""


class ClusterExecutor:
    """Plays on Ray."""

    def __init__(self, plan: Plan, task: Task, workers: int | None, node: RayNode) -> None:
        """Start the actors as soon as Ray has started; workers: None = one a CPU. Raises ExecutorError."""
        self._chunk_s = float(plan.limits["chunk_s"])
        node.wait()
        with ray_starts():
            n_cpus = max(1, int(ray.cluster_resources().get("CPU", 1)))
            count = min(workers or n_cpus, n_cpus)  # an actor without a CPU would only wait
            self._plan, self._task = ray.put(plan.to_json()), task
            self._actors = [self._new_actor() for _ in range(count)]

    def _new_actor(self) -> _Actor:
        actor_class = ray.remote(_Player)
        options = {"num_cpus": 1, "max_restarts": 0, "max_task_retries": 0, "scheduling_strategy": "SPREAD"}
        handle = actor_class.options(**options).remote(self._plan, self._task)
        return _Actor(handle, handle.start.remote())

    @property
    def n_workers(self) -> int:
        """Actors, started or starting."""
        return len(self._actors)

    @property
    def n_slots(self) -> int:
        """Two jobs an actor."""
        return _IN_FLIGHT * len(self._actors)

    def submit(self, job: Job) -> None:
        """Give the job to the actor with the fewest."""
        actor = min(self._actors, key=lambda a: len(a.calls))
        if not actor.calls and actor.start is None:
            actor.head_since = time.monotonic()
        with _while_ray_lives():
            actor.calls.append((actor.handle.play.remote(job.chunks), job))

    def completed(self, timeout_s: float) -> list[Outcome]:
        """Answers, losses and timeouts since the last call."""
        calls = [call for actor in self._actors for call, _ in actor.calls]
        if not calls:
            return []
        calls += [actor.start for actor in self._actors if actor.start is not None]
        outcomes: list[Outcome] = []
        with _while_ray_lives():
            ray.wait(calls, timeout=timeout_s)
            ready = set(ray.wait(calls, num_returns=len(calls), timeout=0)[0])
            for index, actor in enumerate(self._actors):
                outcomes += self._harvest(index, actor, ready)
        return outcomes

    def _harvest(self, index: int, actor: _Actor, ready: set[Any]) -> list[Outcome]:
        """Calls of an actor are answered in order: take the finished ones from the front."""
        outcomes: list[Outcome] = []
        if actor.start in ready:
            actor.start, actor.head_since = None, time.monotonic()
        while actor.calls and actor.calls[0][0] in ready:
            call, job = actor.calls.popleft()
            actor.head_since = time.monotonic()
            try:
                worker, played = ray.get(call)
            except RayActorError as error:
                return outcomes + self._replace(
                    index, actor, Outcome(job, lost="worker_lost", message=_first_line(error))
                )
            except RayError as error:
                outcomes.append(Outcome(job, lost="error", message=_first_line(error)))
                continue
            outcomes.append(Outcome(job, played, worker))
        limit_s, what = (self._chunk_s, "done") if actor.start is None else (_START_S, "started")
        if actor.calls and time.monotonic() - actor.head_since > limit_s:
            _, job = actor.calls.popleft()
            ray.kill(actor.handle)
            message = f"not {what} after {limit_s:g} s" + (" (limits: chunk_s)" if what == "done" else "")
            outcomes += self._replace(index, actor, Outcome(job, lost="timeout", message=message))
        return outcomes

    def _replace(self, index: int, actor: _Actor, first: Outcome) -> list[Outcome]:
        """A new actor for a dead one; jobs that waited behind are lost with it, but not to blame."""
        waiting = [
            Outcome(job, lost="worker_lost", message="its worker was lost", blamed=False) for _, job in actor.calls
        ]
        self._actors[index] = self._new_actor()
        return [first, *waiting]

    def close(self) -> None:
        """Give up all jobs. Actors are ended, for what they still record would come after the sweeping."""
        for actor in self._actors:
            with suppress(RayError):
                ray.kill(actor.handle)
        self._actors.clear()


@contextmanager
def _while_ray_lives() -> Iterator[None]:
    try:
        yield
    except RayError as error:
        raise ExecutorError(f"Ray was lost: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    """What happened, in one line; of an exception in a worker, its own words."""
    cause = getattr(error, "cause", None)
    words = f"{type(cause).__name__}: {cause}" if cause else str(error)
    return next((line.strip() for line in words.splitlines() if line.strip()), type(error).__name__)[:300]
