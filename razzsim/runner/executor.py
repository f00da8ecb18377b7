"""Where chunks are played, as the dispatcher knows it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from razzsim.plan import Chunk, Plan
from razzsim.store.part import Part
from razzsim.store.worker import Worker
from razzsim.sums import Int64s

if TYPE_CHECKING:
    import pyarrow as pa


class ExecutorError(Exception):
    """The surroundings do not let us play: no Ray, no cluster, no memory."""


@dataclass(frozen=True)
class Failure:
    """A chunk that a strategy could not be played through: who, where, and what it saw."""

    entrant: int
    deal: int
    rotation: int
    seat: int
    message: str
    view: str


@dataclass(frozen=True)
class Task:
    """What workers do with chunks beside playing them: which rows they record where, or which hands they look for.

    level, sample: which rows of which share of the deals, rest: of all other deals instead; only: no lower levels;
    folder: where Parquet files go, as an absolute path or a URI; token: a file that must be seen there first;
    origin: as `parts` keeps it;
    predicate: a condition in SQL on the view hand_seats, instead of a folder; limit: rows found a chunk at most.
    """

    level: str = "sums"
    sample: float = 1.0
    rest: bool = False
    only: bool = False
    origin: str = "run"
    folder: str | None = None
    token: str | None = None
    predicate: str | None = None
    limit: int = 0

    @property
    def share(self) -> float:
        """Share of the deals that is recorded."""
        return 1 - self.sample if self.rest else self.sample

    @property
    def sample_span(self) -> tuple[int, int]:
        """First of the deals' numbers in 0 .. 2^64 - 1 that are recorded, and how many come after it."""
        cut = int(self.sample * 2**64)
        return (cut, 2**64 - 1 - cut) if self.rest else (0, max(cut - 1, 0))


@dataclass(frozen=True)
class Played:
    """What became of a chunk: its packed sums and recorded rows, or the failure that stopped it.

    worker: facts of who played it; found: hands of the task's condition; without them, wrong: why it cannot be asked.
    """

    chunk: Chunk
    sums: Int64s | None
    failure: Failure | None = None
    parts: Sequence[Part] = ()
    worker: Worker | None = None
    found: "pa.Table | None" = None
    wrong: str = ""


@dataclass(frozen=True, eq=False)
class Job:
    """Chunks that go to a worker in one call; attempt counts from 1; run: as `Executor.add` numbered it.

    Each job is itself alone, so a late answer to one is not taken for an answer to the next try.
    """

    chunks: tuple[Chunk, ...]
    attempt: int = 1
    run: int = 0


@dataclass(frozen=True)
class Outcome:
    """What became of a job. lost: None, or timeout, worker_lost, error; blamed: whether it counts as a try.

    error: why its run cannot be played there at all, whoever tries.
    """

    job: Job
    played: Sequence[Played] = field(default=())
    worker: str = ""
    lost: str | None = None
    message: str = ""
    blamed: bool = True
    error: ExecutorError | None = None


@dataclass(frozen=True)
class Crew:
    """Workers by what they do now: busy with jobs, idle, or starting; and how many were lost so far, each once."""

    busy: int = 0
    idle: int = 0
    starting: int = 0
    n_lost: int = 0


class Executor(Protocol):
    """Takes jobs and hands back outcomes in any order. It never retries: that is the dispatcher's business."""

    @property
    def n_workers(self) -> int:
        """Workers that play now; more may be starting."""
        ...

    @property
    def crew(self) -> Crew:
        """Its workers by state."""
        ...

    @property
    def n_slots(self) -> int:
        """Jobs it wants to hold at once; 0 while no worker has started."""
        ...

    def add(self, plan: Plan, task: Task) -> int:
        """Have workers know a run; its number in jobs: 0, 1 and so on."""
        ...

    def drop(self, run: int) -> None:
        """Forget a run: no more jobs of it will come."""
        ...

    def submit(self, job: Job) -> None:
        """Take a job."""
        ...

    def completed(self, timeout_s: float) -> list[Outcome]:
        """Outcomes since the last call; waits up to timeout_s for the first, or for a worker that starts."""
        ...

    def close(self) -> None:
        """Give up all jobs and leave nothing behind."""
        ...
