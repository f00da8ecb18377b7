"""A run under way: what goes out next, what came back, what is committed when. Without Ray, threads or a clock."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

from razzsim import sums
from razzsim.metrics import Metrics
from razzsim.plan import Chunk, Plan
from razzsim.runner.executor import Executor, Failure, Job, Outcome, Played
from razzsim.runner.queue import Queue
from razzsim.store import CommittedChunk
from razzsim.store.part_folder import delete_part

COMMIT_EVERY_S = 0.25
_COMMIT_SHARE = 10
"""A commit waits this many times as long as the last one took: counters of many entrants take DuckDB a while."""
_AT_FIRST_S, _SELDOM_SHARE = 10.0, 100
"""After the first seconds, in which a run shows what it does, a commit waits so many times as long as the last one
took, at most until the next snapshot: every quarter of a second, commits took a driver of two workers 9% of their CPU.
"""
_MOST_HELD = 1024
"""When so many chunks wait, they are committed at once: a driver holds them, 200 KB each, and with waits that grow with
what a commit takes, a thousand chunks a second came to 8 GB.
"""
_SNAPSHOT_SHARE = 20
"""A snapshot waits this many times as long as the last one took: large files must not spend their run on copies."""
_CALL_S = 0.5
"""A call carries as many chunks as take about this long, so that short ones do not drown in traffic."""
_SLOTS_A_CALL_S, _LONGEST_CALL_S = 500, 2.0
"""Many places have longer calls, of a second for so many: a thousand workers, who have two each, send 500 answers a
second, not a thousand. A call costs the driver most of a millisecond, whatever is in it. A run that is stopped waits
for calls, so that there is a longest one; answers of two chunks stay below what Ray sends with them.
"""
_MOST_CHUNKS_A_CALL = 64
_MEASURE_SHARE = 1000
"""Intervals of matches, for metrics, wait this many times as long as the last ones took: 30 s with four entrants."""


class Sink(Protocol):
    """Where a run's chunks are committed: a `Writer`, as far as a run under way knows it."""

    def gaps(self, line_up: int, deals: int) -> Sequence[tuple[int, int]]:
        """Which of the first deals of a line-up are not committed, as rising intervals (first, end)."""
        ...

    def totals(self) -> dict[str, int]:
        """chunks, groups, hands, decisions that are committed; rows and bytes of Parquet files."""
        ...

    def failure_counts(self) -> dict[str, int]:
        """Failed tries by outcome."""
        ...

    def commit(self, chunks: Sequence[CommittedChunk]) -> list[CommittedChunk]:
        """Commit chunks at once; returns those that were new."""
        ...

    def check_space(self) -> None:
        """Raise when there is no room for another commit."""
        ...

    def add_failure(self, line_up: int, first_group: int, attempt: int, **columns: Any) -> bool:
        """Note a failed try; False when it was noted before."""
        ...

    def stop_line_up(self, line_up: int) -> None:
        """Note that a failing strategy stopped it."""
        ...

    def half_widths(self) -> Sequence[tuple[str, float]]:
        """Of matches: name, and half of the 95% interval of the difference in BB/100."""
        ...

    def snapshot(self) -> None:
        """Show readers what is committed."""
        ...


@dataclass(frozen=True)
class Progress:
    """How far a run is. hands counts committed ones, earlier attempts included."""

    hands: int
    hands_total: int
    hands_per_s: float
    eta_s: float | None


@dataclass(frozen=True)
class Ending:
    """How a run ended: complete, stopped (asked to) or failed, and why. error: what the sink raised, if it did."""

    status: str
    reason: str
    error: Exception | None = None

    @classmethod
    def by(cls, error: BaseException) -> Self:
        """That of a run which an exception ended."""
        reason = " ".join(str(error).split()) or type(error).__name__
        return cls("failed", reason, error if isinstance(error, Exception) else None)

    @classmethod
    def at(cls, n_groups: int, plan: Plan, n_stopped: int) -> Self:
        """That of a run which has so many deals, and so many line-ups that failing strategies stopped."""
        if n_groups == plan.n_groups:
            return cls("complete", "all deals played")
        if n_stopped:
            return cls("failed", f"{n_stopped} line-ups were stopped by failing strategies")
        return cls("stopped", "chunks are missing")


class OpenRun:
    """Plays what a plan still lacks, as its dispatcher has it: jobs out, outcomes in, a look at the clock each turn."""

    def __init__(
        self,
        run: int,
        plan: Plan,
        sink: Sink,
        metrics: Metrics,
        executor: Executor,
        clock: Callable[[], float],
        on_progress: Callable[[Progress], None],
    ) -> None:
        """run: the number the executor knows it by."""
        self.run = run
        self.in_flight: set[Job] = set()
        self.handed_out_s = 0.0
        """Seconds of a worker that its jobs were thought to take, for fair shares."""
        self._plan, self._sink, self._metrics = plan, sink, metrics
        self._executor, self._clock, self._on_progress = executor, clock, on_progress
        totals, n_missing, attempts = sink.totals(), plan.count_chunks(sink.gaps), int(plan.limits["attempts"])
        self._queue = Queue(run, plan.chunks(sink.gaps), n_missing, attempts, len(plan.line_ups))
        self._hands = totals["hands"]
        self._arrived: list[CommittedChunk] = []
        self._failed: dict[int, tuple[Played, Failure, int]] = {}
        """By line-up: its earliest failure and which try it was, until nothing earlier can fail any more."""
        self._chunk_s = _CALL_S
        self._rates: deque[tuple[float, int]] = deque([(clock(), self._hands)], maxlen=64)
        self._problem: str | None = None
        self._is_stopped = self._is_exhausted = False
        self._began = self._last_commit = self._last_snapshot = clock()
        self._last_took = self._commit_took = self._snapshot_took = 0.0
        self._measured = (self._began, 0.0)
        self._lost_before = executor.crew.n_lost
        metrics.start_from(totals, sink.failure_counts(), plan.n_groups)

    @property
    def is_open(self) -> bool:
        """Whether something may still come of it."""
        if self._problem:
            return False
        if self._is_stopped:
            return bool(self.in_flight)
        return bool(self.in_flight or self._queue.retries) or not self._is_exhausted

    def stop(self) -> None:
        """Hand out nothing more; what is in flight may still come back."""
        self._is_stopped = True

    def next_job(self, n_slots: int) -> Job | None:
        """The next job, as large as fits n_slots workers' places; None when all were handed out."""
        if self._problem or self._is_stopped:
            return None
        call_s = min(max(_CALL_S, n_slots / _SLOTS_A_CALL_S), _LONGEST_CALL_S, self._plan.limits["chunk_s"] / 4)
        n = max(1, min(_MOST_CHUNKS_A_CALL, int(call_s / max(self._chunk_s, 1e-6))))
        fair = -(-len(self._queue) // n_slots)  # near the end, everybody gets a share
        n = max(1, min(n, fair)) if self._hands else 1
        job = self._queue.next_job(n)
        self._is_exhausted = job is None
        if job:
            self.in_flight.add(job)
            self.handed_out_s += len(job.chunks) * self._chunk_s
        return job

    def take(self, outcome: Outcome) -> None:
        """An outcome of a job in flight."""
        self.in_flight.remove(outcome.job)
        for played in outcome.played:
            if played.sums is not None:
                chunk = CommittedChunk(played.sums, outcome.worker, outcome.job.attempt, played.parts, played.worker)
                if self._queue.wants(played.chunk):
                    self._arrived.append(chunk)
                else:
                    remove_parts([played])
            elif played.failure is not None and self._queue.wants(played.chunk):
                self._strategy_failed(played, played.failure, outcome.job.attempt)
        if outcome.error:
            raise outcome.error
        if outcome.lost:
            self._job_lost(outcome)

    def look(self) -> None:
        """Commit and show what it is time for."""
        self._settle_failures()
        now = self._clock()
        wait_s = max(COMMIT_EVERY_S, _COMMIT_SHARE * self._commit_took)
        if now - self._began >= _AT_FIRST_S:
            wait_s = max(wait_s, min(self._plan.snapshot_s, _SELDOM_SHARE * self._commit_took))
        if now - self._last_commit >= wait_s or len(self._arrived) >= _MOST_HELD:
            has_come = bool(self._arrived)
            self._commit()
            self._last_commit = self._clock()
            if has_come:  # the shorter of two: the first one of a process takes its libraries into memory, too
                took = self._last_commit - now
                self._commit_took, self._last_took = min(took, self._last_took), took
            self._on_progress(self._progress(now))
        if now - self._last_snapshot >= max(self._plan.snapshot_s, _SNAPSHOT_SHARE * self._snapshot_took):
            self._sink.snapshot()
            self._last_snapshot = self._clock()
            self._snapshot_took = self._last_snapshot - now
        measured, took = self._measured
        if self._hands and now - measured >= max(self._plan.snapshot_s, _MEASURE_SHARE * took):
            self._measure()

    def end(self) -> Ending:
        """Commit what came back, and say how it ended."""
        self._commit()
        self._measure()
        self._on_progress(self._progress(self._clock()))
        if self._problem:
            return Ending("failed", self._problem)
        ending = Ending.at(self._sink.totals()["groups"], self._plan, len(self._queue.ends))
        is_interrupted = self._is_stopped and ending.status != "complete"
        return Ending("stopped", "interrupted") if is_interrupted else ending

    def _strategy_failed(self, played: Played, failure: Failure, attempt: int) -> None:
        """Play nothing that comes later in the plan; what comes earlier may fail too, and is then the one to name."""
        chunk = played.chunk
        if self._plan.on_error == "stop_line_up":
            self._queue.ends[chunk.line_up] = chunk.first_group
        else:
            self._failed.clear()
            for line_up in range(len(self._plan.line_ups)):
                self._queue.ends[line_up] = chunk.first_group + (line_up < chunk.line_up)
        self._failed[chunk.line_up] = (played, failure, attempt)

    def _settle_failures(self) -> None:
        """Act on failures that nothing in flight can precede: the same ones for any number of workers."""
        if not self._failed or self._problem:  # the reason given first stays
            return
        open_jobs = (*self.in_flight, *self._queue.retries)
        waiting = {chunk.line_up for job in open_jobs for chunk in job.chunks if self._queue.wants(chunk)}
        stops_run = self._plan.on_error != "stop_line_up"
        for line_up in [] if stops_run and waiting else sorted(self._failed.keys() - waiting):
            played, failure, attempt = self._failed.pop(line_up)
            self._note_failure(played.chunk, attempt, "error", **vars(failure))
            if stops_run:
                where = f"deal {failure.deal}, rotation {failure.rotation}, seat {failure.seat}"
                self._problem = f"strategy {self._plan.entrants[failure.entrant].name}, {where}: {failure.message}"
            else:
                self._sink.stop_line_up(line_up)

    def _job_lost(self, outcome: Outcome) -> None:
        assert outcome.lost is not None
        for chunk in outcome.job.chunks if outcome.blamed else ():
            self._note_failure(chunk, outcome.job.attempt, outcome.lost, message=outcome.message)
        n_retries = len(self._queue.retries)
        given_up = self._queue.lost(outcome)
        self._metrics.retried(len(self._queue.retries) - n_retries)
        for chunk in given_up:
            self._note_failure(chunk, outcome.job.attempt, "quarantined", message=outcome.message)
            self._problem = self._problem or (
                f"line-up {chunk.line_up}, deals from {chunk.first_group}: given up after {outcome.job.attempt} tries: "
                f"{outcome.lost}: {outcome.message}"
            )

    def _note_failure(self, chunk: Chunk, attempt: int, outcome: str, **columns: object) -> None:
        if self._sink.add_failure(chunk.line_up, chunk.first_group, attempt, outcome=outcome, **columns):
            self._metrics.failed(outcome)

    def _commit(self) -> None:
        start = self._clock()
        new = self._sink.commit(self._arrived)
        accepted = set(map(id, new))
        remove_parts([chunk for chunk in self._arrived if id(chunk) not in accepted])
        self._arrived = []
        if new:
            headers = [sums.header_of(chunk.sums) for chunk in new]
            seconds = [header["chunk_ns"] / 1e9 for header in headers]
            self._chunk_s = sum(seconds) / len(seconds)
            names = {"groups": "n_groups", "hands": "n_hands", "decisions": "n_decisions"}
            added = {name: sum(header[column] for header in headers) for name, column in names.items()}
            parts = [part for chunk in new for part in chunk.parts]
            added |= {"rows": sum(part.n_rows for part in parts), "bytes": sum(part.n_bytes for part in parts)}
            self._hands += added["hands"]
            self._metrics.committed({"chunks": len(new), **added})
            self._metrics.timed(seconds, self._clock() - start)
        self._show()
        if new:
            self._sink.check_space()

    def _measure(self) -> None:
        """Tell how wide intervals are, if anybody looks."""
        if self._metrics.is_watched:
            start = self._clock()
            widths = self._sink.half_widths()
            self._metrics.measured(widths)
            took = self._clock() - start if widths else 0.0  # too few deals yet: ask again soon
            self._measured = self._clock(), took

    def _show(self) -> None:
        crew = self._executor.crew
        self._metrics.show(
            hands_per_s=self._progress(self._clock()).hands_per_s,
            workers={"busy": crew.busy, "idle": crew.idle, "starting": crew.starting},
            n_lost=crew.n_lost - self._lost_before,
            in_flight=sum(len(job.chunks) for job in self.in_flight),
            queued=len(self._queue),
        )

    def _progress(self, now: float) -> Progress:
        if len(self._rates) == 1 and self._hands == self._rates[0][1]:
            self._rates[0] = (now, self._hands)  # workers start: nothing is played yet
        elif now - self._rates[-1][0] >= COMMIT_EVERY_S / 2:
            self._rates.append((now, self._hands))
        then, hands = next((rate for rate in self._rates if now - rate[0] <= 10), self._rates[-1])
        rate = (self._hands - hands) / (now - then) if now > then else 0.0
        left = self._plan.hands - self._hands
        return Progress(self._hands, self._plan.hands, rate, left / rate if rate else None)


def remove_parts(chunks: Sequence[CommittedChunk | Played]) -> None:
    """Rows of a chunk that came twice, or that nobody wants any more: the first ones count."""
    for chunk in chunks:
        for part in chunk.parts:
            delete_part(part.path)
