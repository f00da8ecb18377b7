"""A sample of a stored run, played again and compared with what is stored, number by number."""

import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from razzsim import store
from razzsim.plan import Chunk
from razzsim.records import table_of
from razzsim.runner.executor import Task
from razzsim.runner.replay import StoredRun, played_again, replaying
from razzsim.runner.rows import rows_of
from razzsim.runner.session import Options, Watch
from razzsim.store import CommittedChunk, StoreError, Writer

_COMPARED = {
    "chunks": ("n_groups", "n_hands", "n_decisions", "digest"),
    "group_sums": ("n_groups", "n_hands", "n_nonzero", "net_chips", "net_sq"),
    "group_cross": ("net_net",),
}
"""Tables with the columns that do not depend on when and where something was played."""
_IN_SAMPLE = """
SELECT t.* FROM {table} t
JOIN runs r USING (run_id)
JOIN (SELECT unnest($line_ups) AS line_up, unnest($batches) AS batch) s ON (t.line_up, {batch}) = (s.line_up, s.batch)
WHERE t.run_id = $run_id
ORDER BY ALL
"""
_WITHOUT_CHUNKS = """
SELECT t.* FROM {table} t JOIN runs r USING (run_id)
ANTI JOIN chunks c ON (t.run_id, t.line_up, t.batch) = (c.run_id, c.line_up, c.first_group // r.batch_groups)
WHERE t.run_id = $run_id ORDER BY ALL LIMIT 1
"""
_COMMIT_CHUNKS = 256
Row = Mapping[str, Any]
Batch = tuple[int, int]
"""line_up, batch."""


@dataclass(frozen=True)
class Difference:
    """The first number that is stored otherwise than it is played again; stored or played None: there is no such row.

    of: the rest of the row's key, such as {"entrant": 1}; deals first .. last; workers: who played them, on which CPU.
    """

    table: str
    column: str
    line_up: int
    first: int
    last: int
    of: Mapping[str, int]
    workers: Sequence[str]
    stored: int | None
    played: int | None


@dataclass(frozen=True)
class Verified:
    """What was played again, and what came out. n_without_digest: chunks of files of schema version 2."""

    seed: int
    n_batches: int
    of_batches: int
    n_chunks: int
    n_hands: int
    n_without_digest: int
    difference: Difference | None


def verify(run: StoredRun, share: float, seed: int, options: Options, watch: Watch) -> Verified:
    """Play a share of the batches again, at least one, and compare `_COMPARED`; seed: which ones.

    Sums of batches of which no chunk is there are looked for in all of the run.

    Raises StoreError when nothing was played yet, or when a deal cannot be played again.
    """
    with store.Reader(run.path) as reader:
        sql = """SELECT DISTINCT line_up, first_group // $batch_groups AS batch FROM chunks
                 WHERE run_id = $run_id ORDER BY ALL"""
        params = {"run_id": run.plan.run_id, "batch_groups": run.plan.batch_groups}
        batches = [(row["line_up"], row["batch"]) for row in reader.query(sql, params).to_pylist()]
        if not batches:
            raise StoreError(f"{run.path}: nothing was played yet, so that there is nothing to verify")
        sample = sorted(random.Random(seed).sample(batches, max(1, round(share * len(batches)))))  # noqa: S311
        stored = _rows(reader, run, sample)
        for table in ("group_sums", "group_cross"):  # sums of what nobody played
            sql = _WITHOUT_CHUNKS.format(table=table)
            stored[table] += reader.query(sql, {"run_id": run.plan.run_id}).to_pylist()
        sql = "SELECT worker, cpu FROM workers WHERE run_id = $run_id"
        cpus = {row["worker"]: row["cpu"] for row in reader.query(sql, {"run_id": run.plan.run_id}).to_pylist()}
    with tempfile.TemporaryDirectory() as folder:
        again = Path(folder) / "again.duckdb"
        _play_again(run, stored["chunks"], again, options, watch)
        with store.Reader(again) as reader:
            played = _rows(reader, run, sample)
    return Verified(
        seed,
        len(sample),
        len(batches),
        len(stored["chunks"]),
        sum(row["n_hands"] for row in played["chunks"]),
        sum(row["digest"] is None for row in stored["chunks"]),
        next(_differences(run, stored, played, cpus), None),
    )


def _rows(reader: store.Reader, run: StoredRun, sample: Sequence[Batch]) -> dict[str, list[Row]]:
    """The rows of the sample's batches, by table."""
    line_ups, batches = zip(*sample, strict=True)
    params = {"run_id": run.plan.run_id, "line_ups": list(line_ups), "batches": list(batches)}
    found = {}
    for table in _COMPARED:
        batch = "t.first_group // r.batch_groups" if table == "chunks" else "t.batch"
        found[table] = reader.query(_IN_SAMPLE.format(table=table, batch=batch), params).to_pylist()
    return found


def _play_again(run: StoredRun, chunks: Sequence[Row], out: Path, options: Options, watch: Watch) -> None:
    """Play the very chunks again, into a result of their own."""
    pieces = [Chunk(row["line_up"], row["first_group"], row["n_groups"]) for row in chunks]
    total, done = sum(piece.n_groups for piece in pieces), 0
    waiting: list[CommittedChunk] = []
    with (
        closing(Writer.create(out, *rows_of(run.plan))) as writer,
        replaying(run, Task(), len(pieces), options, watch) as executor,
    ):
        for played in played_again(executor, iter(pieces), int(run.plan.limits["attempts"])):
            assert played.sums is not None
            waiting.append(CommittedChunk(played.sums, "", 1))
            done += played.chunk.n_groups
            if len(waiting) == _COMMIT_CHUNKS or done == total:
                writer.commit(waiting)
                waiting = []
            watch.share(done, total)


def _differences(
    run: StoredRun, stored: Mapping[str, list[Row]], played: Mapping[str, list[Row]], cpus: Mapping[str, str]
) -> Iterator[Difference]:
    for table, columns in _COMPARED.items():
        names = [name for name in table_of(table).key if name != "run_id"]
        ours, theirs = ({tuple(row[name] for name in names): row for row in of[table]} for of in (stored, played))
        for key in sorted(ours.keys() | theirs.keys()):
            was, again = ours.get(key, {}), theirs.get(key, {})
            for column in columns:
                both = was.get(column), again.get(column)
                if both[0] != both[1] and not (was and column == "digest" and both[0] is None):
                    place = dict(zip(names, key, strict=True))
                    first, end = _deals(run, place, {**again, **was})
                    line_up = place.pop("line_up")
                    workers = _workers(stored["chunks"], line_up, first, end, cpus)
                    numbers = (None if value is None else int(value) for value in both)
                    yield Difference(table, column, line_up, first, end - 1, place, workers, *numbers)


def _deals(run: StoredRun, place: dict[str, int], row: Row) -> tuple[int, int]:
    """First and end of the deals a row is about; what says so is taken from its key."""
    if "first_group" in place:
        return (first := place.pop("first_group")), first + row["n_groups"]
    first = place.pop("batch") * run.plan.batch_groups
    return first, min(first + run.plan.batch_groups, run.plan.deals)


def _workers(chunks: Sequence[Row], line_up: int, first: int, end: int, cpus: Mapping[str, str]) -> list[str]:
    names = {row["worker"] for row in chunks if row["line_up"] == line_up and first <= row["first_group"] < end}
    return [f"{name} ({cpus.get(name, 'CPU unknown')})" for name in sorted(names)]
