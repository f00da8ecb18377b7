"""Runs that share the workers of one executor: a small state machine without Ray, threads or files."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from razzsim.metrics import Metrics
from razzsim.plan import Plan
from razzsim.runner.executor import Executor, ExecutorError, Job, Task
from razzsim.runner.open_run import COMMIT_EVERY_S, Ending, OpenRun, Progress, Sink, remove_parts

_DRAIN_S = 5.0
"""Seconds that runs which were asked to stop wait for what is in flight: two calls a worker, of half a second each, or
of up to two seconds where there are many workers.
"""


class Dispatcher:
    """Plays any number of runs at once; each gets the same share of the workers, as long as it can use it."""

    def __init__(self, executor: Executor, clock: Callable[[], float] = time.monotonic) -> None:
        """clock: seconds, rising."""
        self._executor, self._clock = executor, clock
        self._runs: dict[int, OpenRun] = {}
        self._in_flight: set[Job] = set()
        self._stops_at: float | None = None
        self.endings: dict[int, Ending] = {}
        """By run, of those that ended."""

    def add(
        self,
        plan: Plan,
        task: Task,
        sink: Sink,
        metrics: Metrics,
        on_progress: Callable[[Progress], None] = lambda progress: None,
    ) -> OpenRun:
        """Play what the plan still lacks in the sink. One that comes later has no claim on what others had before."""
        run = OpenRun(self._executor.add(plan, task), plan, sink, metrics, self._executor, self._clock, on_progress)
        run.handed_out_s = min((other.handed_out_s for other in self._runs.values()), default=0.0)
        self._runs[run.run] = run
        return run

    def play(self, should_stop: Callable[[], bool]) -> None:
        """Until every run ended. should_stop: asked each turn; then what is in flight comes back, or is given up.

        Raises ExecutorError when nobody can play any more; what came back is committed.
        """
        try:
            while self.is_busy:
                if should_stop():
                    self.stop()
                self.step()
        except ExecutorError:
            for run in self._runs.values():
                with suppress(Exception):
                    run.end()
            raise

    @property
    def is_busy(self) -> bool:
        """Whether any run has not ended."""
        return bool(self._runs)

    def stop(self) -> None:
        """Let all runs end with what is in flight."""
        if self._stops_at is None:
            self._stops_at = self._clock() + _DRAIN_S
        for run in self._runs.values():
            run.stop()

    def step(self) -> None:
        """One turn: hand out, take what came back, commit what it is time for, end what has ended."""
        self._hand_out()
        if any(run.is_open for run in self._runs.values()):
            self._take()
        is_late = self._stops_at is not None and self._clock() >= self._stops_at
        for run in list(self._runs.values()):
            with self._ending_alone(run):
                run.look()
                if is_late or not run.is_open:
                    self._end(run, run.end())

    @contextmanager
    def _ending_alone(self, run: OpenRun) -> Iterator[None]:
        """A run whose sink fails ends; the others go on."""
        try:
            yield
        except Exception as error:
            if isinstance(error, ExecutorError):  # what came back can be kept
                with suppress(Exception):
                    run.end()
            self._end(run, Ending.by(error))

    def _end(self, run: OpenRun, ending: Ending) -> None:
        self._runs.pop(run.run, None)
        self.endings[run.run] = ending
        self._executor.drop(run.run)

    def _hand_out(self) -> None:
        """Free slots go to the run that had the least of the workers' time."""
        hungry, n_slots = list(self._runs.values()), self._executor.n_slots
        while hungry and len(self._in_flight) < n_slots:
            run = min(hungry, key=lambda run: run.handed_out_s)
            if job := run.next_job(n_slots):
                self._in_flight.add(job)
                self._executor.submit(job)
            else:
                hungry.remove(run)

    def _take(self) -> None:
        for outcome in self._executor.completed(COMMIT_EVERY_S):
            if outcome.job not in self._in_flight:
                continue  # an answer that came twice
            self._in_flight.remove(outcome.job)
            if run := self._runs.get(outcome.job.run):
                with self._ending_alone(run):
                    run.take(outcome)
            else:  # of a run that ended meanwhile
                remove_parts(outcome.played)
