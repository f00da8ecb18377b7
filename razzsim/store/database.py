"""Opening result files: the lock, the storage version, the schema, the views."""

import os
import re
from importlib import resources
from pathlib import Path
from typing import Any

import duckdb

from razzsim import records
from razzsim.store.errors import DiskError, HeldError, NotAResultError, StoreError

# Today's DuckDB command line reads this; the library's own newest format it may not.
_STORAGE_VERSION = "v1.5.0"
_VIEW_ORDER = ("batches", "standings", "head_to_head")

SNAPSHOT = ".snapshot.duckdb"
"""Files of this ending are replaced and removed while runs write; no result may be named so."""

Connection = duckdb.DuckDBPyConnection


def snapshot_path(path: Path) -> Path:
    """Where a running experiment's consistent copy is: OUT.snapshot.duckdb beside OUT.duckdb."""
    return path.with_name(f"{path.name.removesuffix('.duckdb')}{SNAPSHOT}")


def connect(path: Path, *, read_only: bool, config: dict[str, Any] | None = None) -> Connection:
    """Open a DuckDB file. Raises HeldError (naming the holder), NotAResultError, or StoreError."""
    options = {**(config or {})} if read_only else {"storage_compatibility_version": _STORAGE_VERSION, **(config or {})}
    if read_only and not path.exists():
        raise NotAResultError(f"{path}: there is no such file")
    if path.is_dir():
        raise NotAResultError(f"{path}: is a folder, not a result file")
    try:
        return duckdb.connect(str(path.absolute()), read_only=read_only, config=options)
    except duckdb.Error as error:
        raise _opening_problem(path, str(error)) from None


def _opening_problem(path: Path, message: str) -> StoreError:
    message = message.replace(str(path.absolute()), "")  # its name may hold any of the words below
    if "lock on file" in message:
        holder = re.search(r"PID (\d+)", message)
        who = f"process {holder[1]}" if holder else "another process"
        return HeldError(f"{path}: is held open by {who}")
    if "different configuration" in message:
        return HeldError(f"{path}: is held open by this very process")
    if "not a valid DuckDB database file" in message or "magic bytes" in message:
        return NotAResultError(f"{path}: is not a DuckDB file")
    if "newer" in message or "version number" in message:
        return NotAResultError(f"{path}: was written by a newer DuckDB than is installed here")
    return DiskError(f"{path}: cannot be opened: {' '.join(message.split())[:300]}")


def create_schema(connection: Connection) -> None:
    """Make all tables and views in an empty database."""
    for statement in records.ddl():
        connection.execute(statement)
    for name in _VIEW_ORDER:
        connection.execute(resources.files("razzsim.store").joinpath("views", f"{name}.sql").read_text("utf-8"))


def is_empty(connection: Connection) -> bool:
    """True for a database without tables."""
    return bool(_one(connection, "SELECT count(*) FROM duckdb_tables()") == 0)


def check_is_result(connection: Connection, path: Path) -> None:
    """Raise NotAResultError unless the file holds runs of this schema version."""
    try:
        version = _one(connection, "SELECT max(schema_version) FROM runs")
    except duckdb.Error:
        raise NotAResultError(f"{path}: is a DuckDB file, but not a result of razzsim") from None
    if version is not None and version != records.SCHEMA_VERSION:
        raise NotAResultError(
            f"{path}: has schema version {version}, this razzsim reads {records.SCHEMA_VERSION}: use the other"
        )


def _one(connection: Connection, sql: str) -> Any:
    row = connection.execute(sql).fetchone()
    return row[0] if row else None


def write_snapshot(connection: Connection, path: Path) -> None:
    """Replace the snapshot beside `path` atomically with a copy of the open database."""
    target = snapshot_path(path)
    temporary = target.with_suffix(".writing")
    _unlink(temporary)
    source = _one(connection, "SELECT current_database()")
    connection.execute(f"ATTACH {sql_text(str(temporary))} AS snapshot (STORAGE_VERSION {sql_text(_STORAGE_VERSION)})")
    try:
        connection.execute(f'COPY FROM DATABASE "{source}" TO snapshot')
    finally:
        connection.execute("DETACH snapshot")
    os.replace(temporary, target)


def remove_snapshot(path: Path) -> None:
    """Remove the snapshot of a run that has ended."""
    for leftover in (snapshot_path(path), snapshot_path(path).with_suffix(".writing")):
        _unlink(leftover)


def _unlink(database: Path) -> None:
    """Remove a database with its write-ahead log: a log left alone would be played into the next of that name."""
    database.unlink(missing_ok=True)
    database.with_name(database.name + ".wal").unlink(missing_ok=True)


def sql_text(text: str) -> str:
    """A string literal."""
    return "'" + text.replace("'", "''") + "'"
