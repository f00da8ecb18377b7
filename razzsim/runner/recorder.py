"""Rows of deals, hands and decisions from the kernel's buffers into Parquet files."""

import os
import uuid
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from razzsim.plan import Chunk, LineUp
from razzsim.records import LEVELS, N_SEATS, ROW_TABLES
from razzsim.schema import arrow_schema
from razzsim.store.part import Part

WRITING = ".writing"
"""Ending of files that are not complete."""
_CARDS = [f"cards_{seat}" for seat in range(N_SEATS)]
_ROW_GROUP = 1 << 17


def row_tables(run_id: str, line_up: LineUp, rows: list[np.ndarray]) -> dict[str, pa.Table]:
    """Rows as the kernel wrote them (groups, hands, actions) as Arrow tables by level, without levels that have none."""
    makers: tuple[Callable[[LineUp, np.ndarray], dict[str, np.ndarray]], ...] = (_groups, _hands, _actions)
    tables = {}
    for table, make, found in zip(ROW_TABLES, makers, rows, strict=True):
        if len(found):
            columns = make(line_up, found)
            n = len(columns["deal"])
            constant = {"run_id": pa.repeat(run_id, n), "line_up": np.full(n, line_up.number, np.int32)}
            schema = arrow_schema(table.name)
            arrays = {**constant, **columns}
            tables[table.name] = pa.table([pa.array(arrays[name]) for name in schema.names], schema=schema)
    return tables


def _groups(line_up: LineUp, rows: np.ndarray) -> dict[str, np.ndarray]:
    n = len(line_up.places)
    return {
        "deal": np.repeat(rows["deal"], n),
        "entrant": np.tile(np.array(line_up.places, np.int32), len(rows)),
        "net_chips": rows["net_chips"][:, :n].ravel(),
    }


def _hands(line_up: LineUp, rows: np.ndarray) -> dict[str, np.ndarray]:
    absent = np.arange(N_SEATS) >= len(line_up.entrants)
    cards = np.where(absent, np.uint64(_NO_CARDS), rows["cards"])
    by_seat = {"put": rows["put_chips"], "net": rows["net_chips"], "cards": cards}
    scalars = ("deal", "rotation", "street", "bring_in_seat", "showdown_mask", "winner_mask", "copies")
    return {
        **{name: np.ascontiguousarray(rows[name]) for name in (*scalars, "pot_chips", "rake_chips")},
        **{
            f"{name}_{seat}": np.ascontiguousarray(values[:, seat])
            for name, values in by_seat.items()
            for seat in range(N_SEATS)
        },
    }


_NO_CARDS = (1 << 42) - 1


def _actions(line_up: LineUp, rows: np.ndarray) -> dict[str, np.ndarray]:
    names = ("deal", "rotation", "n", "street", "seat", "action", "amount_chips", "to_chips", "pot_chips", "n_bets")
    columns = {name: np.ascontiguousarray(rows[name]) for name in (*names, "live_mask")}
    return {**columns, "entrant": np.array(line_up.entrants, np.int32)[rows["copy"]]}


class Recorder:
    """The Parquet files of one chunk: written under temporary names, shown when the chunk was played to its end."""

    def __init__(self, folder: Path, run_id: str, line_up: LineUp, chunk: Chunk, sample: float) -> None:
        self._folder, self._run_id, self._line_up, self._chunk, self._sample = folder, run_id, line_up, chunk, sample
        self._name = f"{chunk.line_up:05}-{chunk.first_group:012}-{uuid.uuid4().hex[:8]}"
        self._writers: dict[str, pq.ParquetWriter] = {}
        self._rows: dict[str, int] = {}

    def take(self, rows: list[np.ndarray]) -> None:
        """Write what the kernel's buffers hold."""
        for level, table in row_tables(self._run_id, self._line_up, rows).items():
            if level not in self._writers:
                self._folder.mkdir(parents=True, exist_ok=True)
                self._writers[level] = parquet_writer(self._path(level), level)
            self._writers[level].write_table(table, row_group_size=_ROW_GROUP)
            self._rows[level] = self._rows.get(level, 0) + len(table)

    def _path(self, level: str) -> Path:
        return self._folder / f"{level}-{self._name}.parquet{WRITING}"

    def finish(self) -> list[Part]:
        """Complete the files and give them their names."""
        chunk, parts = self._chunk, []
        for level, writer in self._writers.items():
            writer.close()
            path = finished(self._path(level))
            size = path.stat().st_size
            place = (chunk.line_up, chunk.first_group, chunk.n_groups, self._sample)
            parts.append(Part(str(path), level, *place, self._rows[level], size))
        return parts

    def discard(self) -> None:
        """Remove the files of a chunk that failed."""
        for level, writer in self._writers.items():
            writer.close()
            self._path(level).unlink(missing_ok=True)


def parquet_writer(path: Path, level: str) -> pq.ParquetWriter:
    """A writer of one level's rows. Cards are nearly random bits: bytes of a place together pack best."""
    schema = arrow_schema(level)
    cards = [name for name in schema.names if name in _CARDS]
    plain = {"deal", *cards}
    return pq.ParquetWriter(
        path,
        schema,
        compression="zstd",
        compression_level=1,
        use_dictionary=[name for name in schema.names if name not in plain],
        use_byte_stream_split=cards,
        column_encoding={"deal": "DELTA_BINARY_PACKED"},
    )


def finished(path: Path) -> Path:
    """Give a file that was written to its end its name; a power cut after that finds all of it."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
    target = path.with_name(path.name.removesuffix(WRITING))
    path.rename(target)
    return target


assert LEVELS[1:] == tuple(table.name for table in ROW_TABLES)
