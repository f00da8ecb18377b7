"""Rows of deals, hands and decisions from the kernel's buffers into Parquet files."""

import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from razzsim.plan import Chunk, LineUp
from razzsim.records import LEVELS, N_SEATS, ROW_TABLES
from razzsim.runner.executor import Played, Task
from razzsim.schema import arrow_schema
from razzsim.store.part import Part
from razzsim.store.part_folder import PartFolder, part_folder

_CARDS = [f"cards_{seat}" for seat in range(N_SEATS)]
_FASTEST = -5
"""Level of zstd, of -7 (fastest) to 22."""
ROW_GROUP = 1 << 17
"""Rows of a Parquet row group."""


def row_tables(run_id: str, line_up: LineUp, filled: list[tuple[np.ndarray, int]]) -> dict[str, pa.Table]:
    """The kernel's buffers of groups, hands and actions, each with its number of rows, as Arrow tables by level.

    Columns that need no change are the buffers' own memory: valid until the kernel plays on. Empty levels are left out.
    """
    makers: tuple[Callable[[LineUp, np.void, int], dict[str, np.ndarray]], ...] = (_groups, _hands, _actions)
    tables = {}
    for table, make, (buffer, n) in zip(ROW_TABLES, makers, filled, strict=True):
        if n:
            columns: dict[str, Any] = make(line_up, buffer[0], n)
            n_rows = len(columns["deal"])
            columns |= {"run_id": pa.repeat(run_id, n_rows), "line_up": np.full(n_rows, line_up.number, np.int32)}
            schema = arrow_schema(table.name)
            tables[table.name] = pa.table([columns[name] for name in schema.names], schema=schema)
    return tables


def _groups(line_up: LineUp, rows: np.void, n: int) -> dict[str, np.ndarray]:
    places = len(line_up.places)
    return {
        "deal": np.repeat(rows["deal"][:n], places),
        "entrant": np.tile(np.array(line_up.places, np.int32), n),
        "net_chips": rows["net_chips"][:places, :n].T.ravel(),
    }


def _hands(line_up: LineUp, rows: np.void, n: int) -> dict[str, np.ndarray]:
    columns = {name: rows[name][:n] for name in _HAND_COLUMNS}
    for seat in range(N_SEATS):
        for name in ("put", "net"):
            columns[f"{name}_{seat}"] = rows[f"{name}_chips"][seat, :n]
        is_there = seat < len(line_up.entrants)
        columns[f"cards_{seat}"] = rows["cards"][seat, :n] if is_there else np.full(n, _NO_CARDS, np.uint64)
    return columns


_NO_CARDS = (1 << 42) - 1
_HAND_COLUMNS = (
    "deal",
    "rotation",
    "street",
    "bring_in_seat",
    "showdown_mask",
    "winner_mask",
    "copies",
    "pot_chips",
    "rake_chips",
)
_ACTION_COLUMNS = (
    "deal",
    "rotation",
    "n",
    "street",
    "seat",
    "action",
    "amount_chips",
    "to_chips",
    "pot_chips",
    "n_bets",
    "live_mask",
)


def _actions(line_up: LineUp, rows: np.void, n: int) -> dict[str, np.ndarray]:
    columns = {name: rows[name][:n] for name in _ACTION_COLUMNS}
    return {**columns, "entrant": np.array(line_up.entrants, np.int32)[rows["copy"][:n]]}


class Recorder:
    """The Parquet files of one chunk, which count when the chunk was played to its end.

    No two have the same name, so that who comes late, of a driver that was given up, overwrites nothing.
    """

    def __init__(self, task: Task, run_id: str, line_up: LineUp, chunk: Chunk) -> None:
        assert task.folder is not None
        self._folder, self._task = part_folder(task.folder), task
        self._run_id, self._line_up, self._chunk = run_id, line_up, chunk
        self._name = f"{run_id}-{chunk.line_up:05}-{chunk.first_group:012}-{uuid.uuid4().hex[:8]}"
        self._writers: dict[str, pq.ParquetWriter] = {}
        self._rows: dict[str, int] = {}

    def take(self, filled: list[tuple[np.ndarray, int]]) -> None:
        """Write what the kernel's buffers hold."""
        for level, table in row_tables(self._run_id, self._line_up, filled).items():
            if self._task.only and level != self._task.level:
                continue
            if level not in self._writers:
                self._writers[level] = parquet_writer(self._folder, self._file(level), level)
            self._writers[level].write_table(table, row_group_size=ROW_GROUP)
            self._rows[level] = self._rows.get(level, 0) + len(table)

    def _file(self, level: str) -> str:
        return f"{level}-{self._name}.parquet"

    def finish(self, played: Played) -> Played:
        """Complete the files and give them their names."""
        chunk, parts = self._chunk, []
        for level, writer in self._writers.items():
            writer.close()
            path, size = self._folder.finish(self._file(level))
            place = (chunk.line_up, chunk.first_group, chunk.n_groups, self._task.share)
            parts.append(Part(path, level, *place, self._rows[level], size, self._task.origin))
        return replace(played, parts=parts)

    def discard(self) -> None:
        """Remove the files of a chunk that failed, as far as they came."""
        for writer in self._writers.values():
            with suppress(Exception):  # on a full disk it fails once more
                writer.close()
            writer.is_open = False  # nor does it try again when it is forgotten
        for level in LEVELS[1:]:
            self._folder.delete(self._file(level))


def parquet_writer(folder: PartFolder, name: str, level: str) -> pq.ParquetWriter:
    """A writer of one level's rows.

    Cards stay plain: from one rotation to the next most of them are the same, which zstd finds, also at its fastest;
    the codes of dictionaries are packed in bits already and gain little. So a six-handed hand takes 32 bytes and
    0.59 us of CPU; with zstd 1 for all 20 and 0.95, with lz4 29 and 0.80. Decisions repeat each other: 2.7 bytes with
    zstd 1, 5.1 with dictionaries alone. Statistics are of use for deals alone.
    """
    schema = arrow_schema(level)
    packed, how_much = (_CARDS, _FASTEST) if level == "hands" else (schema.names, 1)
    plain = {"deal", *_CARDS}
    return pq.ParquetWriter(
        folder.begin(name),
        schema,
        filesystem=folder.filesystem,
        compression={name: "zstd" if name in packed else "none" for name in schema.names},
        compression_level=dict.fromkeys(packed, how_much),
        use_dictionary=[name for name in schema.names if name not in plain],
        column_encoding={"deal": "DELTA_BINARY_PACKED"},
        write_statistics=["line_up", "deal"],
    )


assert LEVELS[1:] == tuple(table.name for table in ROW_TABLES)
