"""The executor that is this very process."""

import time
from collections import deque
from collections.abc import Mapping
from queue import Empty, SimpleQueue
from threading import Event, Thread

from razzsim.plan import Plan
from razzsim.runner.executor import Crew, Job, Outcome, Played, Task
from razzsim.runner.jobs import Workbench, load_compiled, worker_name

_ROWS_END_S = 10
"""Seconds that the end waits for a chunk whose rows are being taken."""


class LocalExecutor:
    """Plays in this process, in a thread beside the one that hears signals and watches the deadline.

    A thread cannot be killed: one that hangs is left behind and ends with the process.
    """

    n_workers = 1
    n_slots = 2

    def __init__(self) -> None:
        self._runs: dict[int, tuple[Plan, Task]] = {}
        self._n_runs = 0
        self._waiting: deque[Job] = deque()
        self._head_since = 0.0
        self._n_lost = 0
        self._takes_rows = False
        self._start()

    def _start(self) -> None:
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._answers: SimpleQueue[list[Played] | Exception] = SimpleQueue()
        self._benches = {run: Workbench(*work) for run, work in self._runs.items()}
        self._has_ended = Event()
        of = (self._benches, self._jobs, self._answers, self._has_ended)
        self._thread = Thread(target=_play_jobs, args=of, daemon=True)
        self._thread.start()

    @property
    def crew(self) -> Crew:
        """The one thread; those that were left behind are lost."""
        is_busy = bool(self._waiting)
        return Crew(busy=int(is_busy), idle=int(not is_busy), n_lost=self._n_lost)

    def add(self, plan: Plan, task: Task) -> int:
        """Have the thread know a run; compiled before its first chunk, which has its whole time for itself."""
        load_compiled(plan)
        run, self._n_runs = self._n_runs, self._n_runs + 1
        self._runs[run] = plan, task
        self._benches[run] = Workbench(plan, task)
        self._takes_rows |= task.level != "sums"
        return run

    def drop(self, run: int) -> None:
        """Forget a run; what is in flight of it is still played."""
        del self._runs[run]

    def submit(self, job: Job) -> None:
        """Take a job."""
        if not self._waiting:
            self._head_since = time.monotonic()
        self._waiting.append(job)
        self._jobs.put(job)

    def completed(self, timeout_s: float) -> list[Outcome]:
        """The next answer, or what was lost with a thread that took too long. An exception of ours is raised."""
        if not self._waiting:
            return []
        try:
            answer = self._answers.get(block=timeout_s > 0, timeout=timeout_s or None)
        except Empty:
            return self._given_up()
        self._head_since = time.monotonic()
        if isinstance(answer, Exception):
            raise answer
        return [Outcome(self._waiting.popleft(), answer, worker_name())]

    def _given_up(self) -> list[Outcome]:
        """What is lost when the first job has taken too long: it, and innocent ones behind it."""
        first, *others = self._waiting
        work = self._runs.get(first.run)
        limit_s = float(work[0].limits["chunk_s"]) if work else 0.0  # nobody waits for a run that has ended
        if time.monotonic() - self._head_since <= limit_s:
            return []
        self._n_lost += 1
        self._waiting.clear()
        self._has_ended.set()  # slow and not hung: it would go on with the others beside the next one
        self._jobs.put(None)
        self._start()
        message = f"not done after {limit_s:g} s (limits: chunk_s)"
        innocent = [Outcome(job, lost="worker_lost", message="its thread was lost", blamed=False) for job in others]
        return [Outcome(first, lost="timeout", message=message), *innocent]

    def close(self) -> None:
        """Forget what was not played; rows that are being taken are waited for.

        Their files are to be swept, and Python aborts when it ends while Arrow or DuckDB work in a thread.
        """
        self._waiting.clear()
        self._has_ended.set()
        self._jobs.put(None)
        if self._takes_rows:
            self._thread.join(_ROWS_END_S)


def _play_jobs(
    benches: Mapping[int, Workbench],
    jobs: "SimpleQueue[Job | None]",
    answers: "SimpleQueue[list[Played] | Exception]",
    has_ended: Event,
) -> None:
    while (job := jobs.get()) is not None and not has_ended.is_set():
        bench = benches[job.run]
        try:
            answers.put([bench.play(chunk) for chunk in job.chunks if not has_ended.is_set()])
        except Exception as error:
            answers.put(error)
