"""Where chunks are played: the interface the dispatcher knows, and the executor that is this very process."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from razzsim.plan import Chunk, Plan
from razzsim.runner.jobs import Played, Workbench, worker_name


class ExecutorError(Exception):
    """The surroundings do not let us play: no Ray, no cluster, no memory."""


@dataclass(frozen=True, eq=False)
class Job:
    """Chunks that go to a worker in one call; attempt counts from 1. Each is itself alone, so a late answer to one
    is not taken for an answer to the next try.
    """

    chunks: tuple[Chunk, ...]
    attempt: int = 1


@dataclass(frozen=True)
class Outcome:
    """What became of a job. lost: None, or timeout, worker_lost, error; blamed: whether it counts as a try."""

    job: Job
    played: Sequence[Played] = field(default=())
    worker: str = ""
    lost: str | None = None
    message: str = ""
    blamed: bool = True


class Executor(Protocol):
    """Takes jobs and hands back outcomes in any order. It never retries: that is the dispatcher's business."""

    @property
    def n_workers(self) -> int:
        """Workers it plays with."""
        ...

    @property
    def n_slots(self) -> int:
        """Jobs it wants to hold at once."""
        ...

    def submit(self, job: Job) -> None:
        """Take a job."""
        ...

    def completed(self, timeout_s: float) -> list[Outcome]:
        """Outcomes since the last call; waits up to timeout_s for the first."""
        ...

    def close(self) -> None:
        """Give up all jobs and leave nothing behind."""
        ...


class LocalExecutor:
    """Plays in this process, one job at a time; no deadline, since nobody is left to watch it."""

    n_workers = 1
    n_slots = 1

    def __init__(self, plan: Plan) -> None:
        self._bench = Workbench(plan)
        self._jobs: deque[Job] = deque()

    def submit(self, job: Job) -> None:
        """Take a job."""
        self._jobs.append(job)

    def completed(self, timeout_s: float) -> list[Outcome]:
        """Play the next job; it takes as long as it takes."""
        if not self._jobs:
            return []
        job = self._jobs.popleft()
        return [Outcome(job, [self._bench.play(chunk) for chunk in job.chunks], worker_name())]

    def close(self) -> None:
        """Forget what was not played."""
        self._jobs.clear()
