"""Which chunk goes out next, what is tried again, what is committed when. A small state machine without Ray."""

import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from razzsim import sums
from razzsim.metrics import Metrics
from razzsim.plan import Chunk, Plan
from razzsim.runner.executor import Executor, Failure, Job, Outcome, Played
from razzsim.store import CommittedChunk, Writer

_COMMIT_EVERY_S = 0.25
_COMMIT_SHARE = 10
"""A commit waits this many times as long as the last one took: counters of many entrants take DuckDB a while."""
_SNAPSHOT_SHARE = 20
"""A snapshot waits this many times as long as the last one took: large files must not spend their run on copies."""
_CALL_S = 0.5
"""A call carries as many chunks as take about this long, so that short ones do not drown in traffic."""
_MOST_CHUNKS_A_CALL = 64


@dataclass
class Queue:
    """Chunks not handed out yet: those to try again first, then the plan's, in order."""

    fresh: Iterator[Chunk]
    n_fresh: int
    attempts: int
    n_line_ups: int
    retries: deque[Job] = field(default_factory=deque)
    ends: dict[int, int] = field(default_factory=dict)
    """By line-up: the first deal that is not wanted any more, because a strategy failed."""

    def wants(self, chunk: Chunk) -> bool:
        """Whether the chunk is still to be played."""
        return chunk.first_group < self.ends.get(chunk.line_up, chunk.first_group + 1)

    def next_job(self, n_chunks: int) -> Job | None:
        """The next job of up to n_chunks, None when all were handed out."""
        while self.retries:
            job = self.retries.popleft()
            if self.wants(job.chunks[0]):
                return job
        chunks = []
        for chunk in self.fresh if len(self.ends) < self.n_line_ups else ():
            self.n_fresh -= 1
            if self.wants(chunk):
                chunks.append(chunk)
            if len(chunks) == n_chunks:
                break
        return Job(tuple(chunks)) if chunks else None

    def lost(self, outcome: Outcome) -> list[Chunk]:
        """Put a lost job's chunks back, one a job so that a poisoned one stands alone; returns those given up.

        A chunk is given up only after it failed alone: one of many may be innocent.
        """
        given_up = []
        for chunk in filter(self.wants, outcome.job.chunks):
            attempt = outcome.job.attempt + (1 if outcome.blamed else 0)
            if attempt > self.attempts and len(outcome.job.chunks) == 1:
                given_up.append(chunk)
            else:
                self.retries.append(Job((chunk,), attempt))
        return given_up

    def __len__(self) -> int:
        return self.n_fresh + sum(len(job.chunks) for job in self.retries)


@dataclass(frozen=True)
class Progress:
    """How far a run is. hands counts committed ones, earlier attempts included."""

    hands: int
    hands_total: int
    hands_per_s: float
    eta_s: float | None


@dataclass(frozen=True)
class Ending:
    """How a run ended: complete, stopped (asked to) or failed, and why."""

    status: str
    reason: str


class Dispatcher:
    """Plays what a plan still lacks. One instance a run; `play` returns when it ended."""

    def __init__(self, plan: Plan, writer: Writer, executor: Executor, metrics: Metrics) -> None:
        self._plan, self._writer, self._executor, self._metrics = plan, writer, executor, metrics
        missing = (chunk for chunk in plan.chunks() if not writer.is_done((chunk.line_up, chunk.first_group)))
        totals = writer.totals()
        n_missing, attempts = plan.n_chunks - totals["chunks"], int(plan.limits["attempts"])
        self._queue = Queue(missing, n_missing, attempts, len(plan.line_ups))
        self._hands = totals["hands"]
        self._in_flight: set[Job] = set()
        self._arrived: list[CommittedChunk] = []
        self._failed: dict[int, tuple[Played, Failure, int]] = {}
        """By line-up: its earliest failure and which try it was, until nothing earlier can fail any more."""
        self._chunk_s = _CALL_S
        self._rates: deque[tuple[float, int]] = deque(maxlen=64)
        self._problem: str | None = None
        metrics.start_from(totals, writer.failure_counts())

    def play(self, should_stop: Callable[[], bool], on_progress: Callable[[Progress], None]) -> Ending:
        """Until nothing is missing, a failure ends the run, or should_stop() says so. What came back is committed."""
        last_commit = last_snapshot = time.monotonic()
        commit_took = snapshot_took = 0.0
        self._rates.append((last_commit, self._hands))
        while not self._problem and not should_stop():
            self._hand_out()
            if not self._in_flight:
                break
            for outcome in self._executor.completed(_COMMIT_EVERY_S):
                self._take(outcome)
            self._settle_failures()
            now = time.monotonic()
            if now - last_commit >= max(_COMMIT_EVERY_S, _COMMIT_SHARE * commit_took):
                self._commit()
                last_commit = time.monotonic()
                commit_took = last_commit - now
                on_progress(self._progress(now))
            if now - last_snapshot >= max(self._plan.snapshot_s, _SNAPSHOT_SHARE * snapshot_took):
                self._writer.snapshot()
                last_snapshot = time.monotonic()
                snapshot_took = last_snapshot - now
        for outcome in self._executor.completed(0):
            self._take(outcome)
        self._commit()
        on_progress(self._progress(time.monotonic()))
        return self._ending(should_stop())

    def _ending(self, was_stopped: bool) -> Ending:
        if self._problem:
            return Ending("failed", self._problem)
        if self._writer.totals()["chunks"] == self._plan.n_chunks:
            return Ending("complete", "all deals played")
        if was_stopped:
            return Ending("stopped", "interrupted")
        if self._queue.ends:
            return Ending("failed", f"{len(self._queue.ends)} line-ups were stopped by failing strategies")
        return Ending("stopped", "chunks are missing")

    def _hand_out(self) -> None:
        n = max(1, min(_MOST_CHUNKS_A_CALL, int(_CALL_S / max(self._chunk_s, 1e-6))))
        fair = -(-len(self._queue) // self._executor.n_slots)  # near the end, everybody gets a share
        n = max(1, min(n, fair)) if self._rates[-1][1] else 1
        while len(self._in_flight) < self._executor.n_slots:
            job = self._queue.next_job(n)
            if job is None:
                return
            self._executor.submit(job)
            self._in_flight.add(job)

    def _take(self, outcome: Outcome) -> None:
        if outcome.job not in self._in_flight:
            return  # an answer that came twice
        self._in_flight.remove(outcome.job)
        for played in outcome.played:
            if played.sums is not None:
                chunk = CommittedChunk(played.sums, outcome.worker, outcome.job.attempt, played.parts)
                if self._queue.wants(played.chunk):
                    self._arrived.append(chunk)
                else:
                    _remove_parts([chunk])
            elif played.failure is not None and self._queue.wants(played.chunk):
                self._strategy_failed(played, played.failure, outcome.job.attempt)
        if outcome.lost:
            self._job_lost(outcome)

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
        open_jobs = (*self._in_flight, *self._queue.retries)
        waiting = {chunk.line_up for job in open_jobs for chunk in job.chunks if self._queue.wants(chunk)}
        stops_run = self._plan.on_error != "stop_line_up"
        for line_up in [] if stops_run and waiting else sorted(self._failed.keys() - waiting):
            played, failure, attempt = self._failed.pop(line_up)
            self._note_failure(played.chunk, attempt, "error", **vars(failure))
            if stops_run:
                where = f"deal {failure.deal}, rotation {failure.rotation}, seat {failure.seat}"
                self._problem = f"strategy {self._plan.entrants[failure.entrant].name}, {where}: {failure.message}"
            else:
                self._writer.set_line_up_status(line_up, "stopped")

    def _job_lost(self, outcome: Outcome) -> None:
        assert outcome.lost is not None
        if outcome.blamed and outcome.lost in ("timeout", "worker_lost"):
            self._metrics.worker_died()
        for chunk in outcome.job.chunks if outcome.blamed else ():
            self._note_failure(chunk, outcome.job.attempt, outcome.lost, message=outcome.message)
        for chunk in self._queue.lost(outcome):
            self._note_failure(chunk, outcome.job.attempt, "quarantined", message=outcome.message)
            self._problem = self._problem or (
                f"line-up {chunk.line_up}, deals from {chunk.first_group}: given up after {outcome.job.attempt} tries: "
                f"{outcome.lost}: {outcome.message}"
            )

    def _note_failure(self, chunk: Chunk, attempt: int, outcome: str, **columns: object) -> None:
        if self._writer.add_failure(chunk.line_up, chunk.first_group, attempt, outcome=outcome, **columns):
            self._metrics.failed(outcome)

    def _commit(self) -> None:
        start = time.perf_counter()
        new = self._writer.commit(self._arrived)
        accepted = set(map(id, new))
        _remove_parts([chunk for chunk in self._arrived if id(chunk) not in accepted])
        self._arrived = []
        if new:
            headers = [sums.header_of(chunk.sums) for chunk in new]
            hands = sum(header["n_hands"] for header in headers)
            self._hands += hands
            seconds = [header["chunk_ns"] / 1e9 for header in headers]
            self._chunk_s = sum(seconds) / len(seconds)
            added = {
                "chunks": len(new),
                "groups": sum(header["n_groups"] for header in headers),
                "hands": hands,
                "decisions": sum(header["n_decisions"] for header in headers),
            }
            self._metrics.committed(added)
            self._metrics.timed(seconds, time.perf_counter() - start)
        self._show()

    def _show(self) -> None:
        self._metrics.show(
            hands_per_s=self._progress(time.monotonic()).hands_per_s,
            workers=self._executor.n_workers,
            in_flight=len(self._in_flight),
            queued=len(self._queue),
        )

    def _progress(self, now: float) -> Progress:
        if len(self._rates) == 1 and self._hands == self._rates[0][1]:
            self._rates[0] = (now, self._hands)  # workers start: nothing is played yet
        elif now - self._rates[-1][0] >= _COMMIT_EVERY_S / 2:
            self._rates.append((now, self._hands))
        then, hands = next((rate for rate in self._rates if now - rate[0] <= 10), self._rates[-1])
        rate = (self._hands - hands) / (now - then) if now > then else 0.0
        left = self._plan.hands - self._hands
        return Progress(self._hands, self._plan.hands, rate, left / rate if rate else None)


def _remove_parts(chunks: list[CommittedChunk]) -> None:
    """Rows of a chunk that came twice: the first ones count."""
    for chunk in chunks:
        for part in chunk.parts:
            Path(part.path).unlink(missing_ok=True)
