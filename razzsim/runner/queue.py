"""Which chunks of a run go out next, and which are tried again."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from razzsim.plan import Chunk
from razzsim.runner.executor import Job, Outcome


@dataclass
class Queue:
    """Chunks not handed out yet: those to try again first, then the plan's, in order."""

    run: int
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
        return Job(tuple(chunks), run=self.run) if chunks else None

    def lost(self, outcome: Outcome) -> list[Chunk]:
        """Put a lost job's chunks back, one a job so that a poisoned one stands alone; returns those given up.

        A chunk is given up only when it failed alone: one of many may be innocent.
        """
        given_up = []
        for chunk in filter(self.wants, outcome.job.chunks):
            attempt = outcome.job.attempt + (1 if outcome.blamed else 0)
            if outcome.blamed and attempt > self.attempts and len(outcome.job.chunks) == 1:
                given_up.append(chunk)
            else:
                self.retries.append(Job((chunk,), attempt, self.run))
        return given_up

    def __len__(self) -> int:
        return self.n_fresh + sum(len(job.chunks) for job in self.retries)
