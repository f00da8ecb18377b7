"""Deals of a stored run, played again: the seed is the archive."""

import sys
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from razzsim import store
from razzsim.plan import Chunk, Plan
from razzsim.runner.executor import Executor, ExecutorError, Job, Outcome, Played, Task
from razzsim.runner.identity import stored_plan
from razzsim.runner.session import Options, Watch
from razzsim.runner.shared import shared_with_workers
from razzsim.store import QueryError, StoreError
from razzsim.store.part import Part
from razzsim.store.spans import Spans

if TYPE_CHECKING:
    import pyarrow as pa

_PIECE = 1 << 14
"""Deals of a job at most: well under a second, so that the first finds come soon."""
_FEW_PIECES = 8


@dataclass(frozen=True)
class StoredRun:
    """A run of a result file as far as playing it again needs it. played: by line-up, the deals that are committed."""

    path: Path
    plan: Plan
    played: Mapping[int, Spans]

    @classmethod
    def read(cls, path: Path, run_id: str | None = None) -> "StoredRun":
        """Read it. Raises StoreError when this engine would play it otherwise."""
        with store.Reader(path) as reader:
            row = reader.run_row(run_id)
            sql = "SELECT line_up, first_group, n_groups FROM chunks WHERE run_id = $run_id ORDER BY ALL"
            played: dict[int, Spans] = defaultdict(Spans)
            for chunk in reader.query(sql, {"run_id": row["run_id"]}).to_pylist():
                played[chunk["line_up"]].add(chunk["first_group"], chunk["first_group"] + chunk["n_groups"])
            plan = stored_plan(reader, row, "its hands would not be the same")
        return cls(path, plan, played)

    def check_line_up(self, line_up: int) -> None:
        """Raise StoreError unless the run has this line-up."""
        if not 0 <= line_up < len(self.plan.line_ups):
            raise StoreError(f"{self.path}: has no line-up {line_up}: 0 to {len(self.plan.line_ups) - 1}")

    def check_deal(self, line_up: int, deal: int) -> None:
        """Raise StoreError unless this deal was played, or a strategy failed in it."""
        sql = """SELECT 1 FROM chunks WHERE run_id = $run_id AND line_up = $line_up
                 AND $deal BETWEEN first_group AND first_group + n_groups - 1
                 UNION ALL SELECT 1 FROM failures WHERE run_id = $run_id AND line_up = $line_up AND deal = $deal"""
        with store.Reader(self.path) as reader:
            if not len(reader.query(sql, {"run_id": self.plan.run_id, "line_up": line_up, "deal": deal})):
                raise StoreError(f"{self.path}: deal {deal} of line-up {line_up} was not played")

    def pieces(self, line_ups: Sequence[int], first: int, end: int) -> Iterator[Chunk]:
        """Deals first .. end - 1 of these line-ups in jobs, as far as they were played."""
        size = min(_PIECE, self.plan.chunk_groups)  # limits.chunk_s is meant for so many deals
        for line_up in line_ups:
            for begin, last in self.played.get(line_up, Spans()).within(first, end):
                for start in range(begin, last, size):
                    yield Chunk(line_up, start, min(size, last - start))


@contextmanager
def replaying(run: StoredRun, task: Task, n_pieces: int, options: Options, watch: Watch) -> Iterator[Executor]:
    """Workers for a stored run; this process alone when Ray would take longer to start than the work does."""
    from razzsim.runner.play import executor_for
    from razzsim.runner.session import ray_node

    if n_pieces <= _FEW_PIECES and options.address is None:
        options = replace(options, local=True)
    with (
        redirect_stdout(sys.stderr),
        ray_node(options) as node,
        executor_for(run.plan, options.workers, node, watch) as executor,
    ):
        executor.add(run.plan, task)
        yield executor


def played_again(executor: Executor, pieces: Iterator[Chunk], attempts: int) -> Iterator[Played]:
    """All pieces, in their order. Raises ExecutorError when one is lost too often, StoreError when one fails."""
    waiting: dict[Chunk, Played | None] = {}
    lost: deque[Job] = deque()
    in_flight = 0
    while True:
        while in_flight < executor.n_slots:
            if lost:
                executor.submit(lost.popleft())
            elif (piece := next(pieces, None)) is not None:
                waiting[piece] = None
                executor.submit(Job((piece,)))
            else:
                break
            in_flight += 1
        if executor.n_slots and not waiting:
            return
        for outcome in executor.completed(0.25):
            in_flight -= 1
            if outcome.lost:
                lost.append(_next_try(outcome, attempts))
            for played in outcome.played:
                if played.failure:
                    raise StoreError(f"deal {played.failure.deal} cannot be played again: {played.failure.message}")
                waiting[played.chunk] = played
        while waiting and (done := waiting[first := next(iter(waiting))]) is not None:
            del waiting[first]
            yield done


def _next_try(outcome: Outcome, attempts: int) -> Job:
    if outcome.error:
        raise outcome.error
    attempt = outcome.job.attempt + outcome.blamed
    if attempt > attempts:
        deals = f"deals from {outcome.job.chunks[0].first_group}"
        raise ExecutorError(f"{deals}: {outcome.lost}: {outcome.message}")
    return Job(outcome.job.chunks, attempt)


def find(
    run: StoredRun,
    predicate: str,
    *,
    line_ups: Sequence[int],
    deals: tuple[int, int],
    limit: int,
    options: Options,
    watch: Watch,
) -> "pa.Table":
    """The first seats in hands that meet a condition on the view hand_seats, by line-up, deal, rotation, seat.

    Raises QueryError for a condition that does not hold together.
    """
    import pyarrow as pa

    from razzsim.runner.search import finder_for

    task = Task("hands", predicate=predicate, limit=limit)
    found = [finder_for(run.plan, task).nothing]  # a wrong condition is told before anybody plays
    pieces = list(run.pieces(line_ups, *deals))
    total, looked = sum(piece.n_groups for piece in pieces), 0
    with replaying(run, task, len(pieces), options, watch) as executor:
        for played in played_again(executor, iter(pieces), int(run.plan.limits["attempts"])):
            if played.found is None:
                raise QueryError(played.wrong)
            found.append(played.found)
            looked += played.chunk.n_groups
            watch.share(looked, total)
            if sum(map(len, found)) >= limit:
                break
    return pa.concat_tables(found).slice(0, limit)


def materialize(
    run: StoredRun,
    level: str,
    *,
    line_ups: Sequence[int],
    deals: tuple[int, int],
    options: Options,
    watch: Watch,
) -> int:
    """Record a level's rows of deals that were played without; returns the rows. Deals recorded already are left out.

    Of a run that recorded a sample, the deals outside the sample are added. Raises StoreError when none of the deals
    was played, or when a file of the level is missing.
    """
    from razzsim.runner.compaction import compact
    from razzsim.store import Writer
    from razzsim.store.database import parts_folder

    if not any(run.pieces(line_ups, *deals)):
        raise StoreError(f"{run.path}: none of these deals was played yet")
    with closing(Writer.open(run.path, run.plan.run_id)) as writer:
        writer.make_parts_own()
        sample = _recorded_share(run.plan, level)
        if sample == 1:
            return 0
        folder = str(parts_folder(run.path))
        task = Task(level, sample or 1.0, rest=sample > 0, only=True, folder=folder, origin="materialize")
        pieces: list[Chunk] = []
        for line_up in line_ups:
            parts = writer.parts(level=level, line_up=line_up, origin="materialize")
            pieces += _unrecorded(run, parts, line_up, deals)
        n_rows, looked, total = 0, 0, sum(piece.n_groups for piece in pieces)
        try:
            with (
                shared_with_workers(task, run.plan.run_id, options.address) as task,
                replaying(run, task, len(pieces), options, watch) as executor,
            ):
                for played in played_again(executor, iter(pieces), int(run.plan.limits["attempts"])):
                    writer.replace_parts([], played.parts)
                    n_rows += sum(part.n_rows for part in played.parts)
                    looked += played.chunk.n_groups
                    watch.share(looked, total)
            compact(writer, run.plan.run_id, "materialize")
        finally:
            writer.sweep_parts()
            writer.show_parts()
    return n_rows


def _recorded_share(plan: Plan, level: str) -> float:
    """Share of the deals whose rows of this level the run recorded itself."""
    from razzsim.records import LEVELS

    is_recorded = LEVELS.index(level) <= LEVELS.index(plan.record["level"])
    return float(plan.record["sample"]) if is_recorded else 0.0


def _unrecorded(run: StoredRun, parts: Sequence[Part], line_up: int, deals: tuple[int, int]) -> Iterator[Chunk]:
    """Pieces of the deals that no part covers."""
    first, end = deals
    for part in sorted(parts, key=lambda part: part.first_group):
        yield from run.pieces([line_up], first, min(end, part.first_group))
        first = max(first, part.first_group + part.n_groups)
    yield from run.pieces([line_up], first, end)
