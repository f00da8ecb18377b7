"""Opening result files: the lock, the storage version, the schema, the views."""

import os
import re
import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from importlib import resources
from pathlib import Path
from typing import Any, BinaryIO

import duckdb

from razzsim import records, schema
from razzsim.store.errors import DiskError, HeldError, NotAResultError, StoreError

# Today's DuckDB command line reads this; the library's own newest format it may not.
_STORAGE_VERSION = "v1.5.0"
_VIEW_ORDER = (
    *("batches", "standings", "head_to_head", "convergence", "cost"),
    *("by_seat", "by_position", "by_street", "steals", "bring_ins"),
    *("start_classes", "by_start_hand", "start_hands_by_door", "biggest_pots"),
    *("hand_seats", "decisions"),
)
_SUFFIX = ".duckdb"
_BLOCK = 1 << 20

_LOOK_S = 1.0
"""Who wants to write tries so long: a look at a result, as `status` takes it, holds the file for a moment."""

SNAPSHOT = ".snapshot.duckdb"
"""Files of this ending are replaced and removed while runs write; no result may be named so."""

Connection = duckdb.DuckDBPyConnection


def snapshot_path(path: Path) -> Path:
    """Where a running experiment's consistent copy is: OUT.snapshot.duckdb beside OUT.duckdb."""
    real = path.resolve() if path.is_symlink() else path
    return real.with_name(f"{real.name.removesuffix(_SUFFIX)}{SNAPSHOT}")


def connect(path: Path, *, read_only: bool, config: dict[str, Any] | None = None) -> Connection:
    """Open a DuckDB file. Raises HeldError (naming the holder), NotAResultError, or StoreError."""
    if path.parts[:1] == ("s3:",):
        raise NotAResultError(
            f"s3://{'/'.join(path.parts[1:])}: lies in object storage: copy it with razzsim fetch first"
        )
    options = {**(config or {})} if read_only else {"storage_compatibility_version": _STORAGE_VERSION, **(config or {})}
    if read_only and not path.exists():
        raise NotAResultError(f"{path}: there is no such file")
    if path.is_dir():
        raise NotAResultError(f"{path}: is a folder, not a result file")
    gives_up = time.monotonic() + (0 if read_only else _LOOK_S)
    while True:
        try:
            return duckdb.connect(str(path.resolve()), read_only=read_only, config=options)
        except duckdb.Error as error:
            problem = opening_problem(path, str(error))
        if time.monotonic() >= gives_up or not isinstance(problem, HeldError):
            raise problem
        time.sleep(0.05)


def opening_problem(path: Path, message: str) -> StoreError:
    """DuckDB's words about a file that cannot be opened, in words for the person who named it."""
    message = message.replace(str(path.resolve()), "")  # its name may hold any of the words below
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


def attach(connection: Connection, path: Path, name: str) -> None:
    """Let an open connection read another DuckDB file too, by this name. Raises as `connect` does."""
    try:
        connection.execute(f"ATTACH {schema.quoted(str(path.resolve()))} AS {name} (READ_ONLY)")
    except duckdb.Error as error:
        raise opening_problem(path, str(error)) from None


def create_schema(connection: Connection) -> None:
    """Make all tables and views in an empty database."""
    for statement in schema.ddl():
        connection.execute(statement)
    create_views(connection)


def create_views(connection: Connection) -> None:
    """Make the views, or make them anew."""
    set_row_views(connection, {})
    for name in _VIEW_ORDER:
        connection.execute(_text("views", name))


def _text(folder: str, name: str) -> str:
    return resources.files("razzsim.store").joinpath(folder, f"{name}.sql").read_text("utf-8")


def set_row_views(connection: Connection, paths: Mapping[str, Sequence[str]], *, temporary: bool = False) -> None:
    """Let the views groups, hands and actions show these Parquet files.

    paths: by level, absolute. temporary: for this connection only, before the views of that name in the file.
    """
    kind = "TEMP VIEW" if temporary else "VIEW"
    for table in records.ROW_TABLES:
        view = f"CREATE OR REPLACE {kind} {table.name} AS "
        try:
            connection.execute(view + _rows_of(table, paths.get(table.name, ())))
        except duckdb.Error as error:  # binding reads a part: one that is broken must not stop other questions
            connection.execute(view + _no_rows_of(table, f"error({schema.quoted(' '.join(str(error).split()))})"))
        if not temporary:
            connection.execute(f"COMMENT ON VIEW {table.name} IS {schema.quoted(table.meaning)}")


def _rows_of(table: records.TableOf, paths: Sequence[str]) -> str:
    if missing := [path for path in paths if not Path(path).exists()]:
        words = f"{table.name}: {len(missing)} of {len(paths)} parts missing, the first is {missing[0]}"
        return _no_rows_of(table, f"error({schema.quoted(words)})")
    if paths:
        return f"SELECT * FROM read_parquet([{', '.join(map(schema.quoted, paths))}])"
    return _no_rows_of(table, "false")


def _no_rows_of(table: records.TableOf, condition: str) -> str:
    columns = ", ".join(f"NULL::{column.type} AS {column.name}" for column in table.columns)
    return f"SELECT {columns} WHERE {condition}"


def part_paths(connection: Connection) -> dict[str, list[str]]:
    """Paths of the committed parts by level, in the order of what they hold."""
    paths: dict[str, list[str]] = {}
    sql = "SELECT level, path FROM parts ORDER BY run_id, line_up, first_group, path"
    for level, path in connection.execute(sql).fetchall():
        paths.setdefault(level, []).append(path)
    return paths


def parts_folder(path: Path) -> Path:
    """Where the Parquet parts of a result file are: OUT.parts beside OUT.duckdb."""
    real = path.resolve()  # a link to a result has its rows where the result has them
    return real.with_name(f"{real.name.removesuffix(_SUFFIX)}.parts")


def is_empty(connection: Connection) -> bool:
    """True for a database without tables."""
    return bool(_one(connection, "SELECT count(*) FROM duckdb_tables()") == 0)


def schema_version(connection: Connection, path: Path) -> int:
    """The schema version of an open file. Raises NotAResultError unless it is a result that this razzsim can read."""
    try:
        version = _one(connection, "SELECT max(schema_version) FROM runs")
    except duckdb.Error:
        raise NotAResultError(f"{path}: is a DuckDB file, but not a result of razzsim") from None
    if version is not None and version > records.SCHEMA_VERSION:
        raise NotAResultError(
            f"{path}: has schema version {version}, this razzsim reads up to {records.SCHEMA_VERSION}: use a newer one"
        )
    return records.SCHEMA_VERSION if version is None else int(version)


def migrate(path: Path, version: int) -> Path:
    """Bring an older file to today's schema, after a copy of it beside it; returns the copy.

    Raises StoreError kinds; the file is then as it was.
    """
    backup = path.with_name(f"{path.name.removesuffix(_SUFFIX)}.schema{version}{_SUFFIX}")
    # The file is closed last: whoever closes one gives up all locks that its process has on it.
    with path.open("rb") as source, closing(connect(path, read_only=False)) as connection:
        if schema_version(connection, path) != version:
            return backup  # another process has just done it
        try:
            connection.execute("CHECKPOINT")
            _writing_of(backup).unlink(missing_ok=True)  # half a copy, of who was killed
            if not _is_copied(source, backup):
                if backup.exists():
                    words = f"has schema version {version}, and its copy {backup} exists already: move one of them"
                    raise StoreError(f"{path}: {words}")
                _copy(source, backup)
            try:
                _run_migrations(connection, version)
            except Exception:  # the file is as it was, so that its copy would only stand in the way
                backup.unlink()
                raise
        except (duckdb.Error, OSError) as error:
            words = error.strerror.lower() if isinstance(error, OSError) and error.strerror else str(error)
            words = " ".join(words.split())[:200]
            raise DiskError(f"{path}: cannot be brought from schema version {version} to today's: {words}") from None
    return backup


def _is_copied(source: BinaryIO, target: Path) -> bool:
    """Whether a migration that was killed left a whole copy. (filecmp would close the source, and its lock be gone.)"""
    if not target.exists():
        return False
    with target.open("rb") as copy:
        blocks = iter(lambda: (source.read(_BLOCK), copy.read(_BLOCK)), (b"", b""))
        is_same = all(ours == theirs for ours, theirs in blocks)
    source.seek(0)
    return is_same


def _writing_of(target: Path) -> Path:
    return target.with_name(f"{target.name}.writing")


def _copy(source: BinaryIO, target: Path) -> None:
    """A whole copy or none."""
    temporary = _writing_of(target)
    try:
        with temporary.open("xb") as file:
            shutil.copyfileobj(source, file)
        shutil.copystat(source.name, temporary)
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def _run_migrations(connection: Connection, version: int) -> None:
    connection.begin()
    try:
        for number in range(version + 1, records.SCHEMA_VERSION + 1):
            connection.execute(_text("migrations", f"{number:04}"))
        create_views(connection)
        connection.commit()
    except BaseException:
        with suppress(duckdb.Error):  # what failed may have ended the transaction already
            connection.rollback()
        raise


def _one(connection: Connection, sql: str) -> Any:
    row = connection.execute(sql).fetchone()
    return row[0] if row else None


def write_snapshot(connection: Connection, path: Path) -> None:
    """Replace the snapshot beside `path` atomically with a copy of the open database."""
    target = snapshot_path(path)
    temporary = target.with_suffix(".writing")
    remove(temporary)
    source = _one(connection, "SELECT current_database()")
    file, version = schema.quoted(str(temporary)), schema.quoted(_STORAGE_VERSION)
    connection.execute(f"ATTACH {file} AS snapshot (STORAGE_VERSION {version})")
    try:
        connection.execute(f'COPY FROM DATABASE "{source}" TO snapshot')
    finally:
        connection.execute("DETACH snapshot")
    os.replace(temporary, target)


def remove_snapshot(path: Path) -> None:
    """Remove the snapshot of a run that has ended."""
    for leftover in (snapshot_path(path), snapshot_path(path).with_suffix(".writing")):
        remove(leftover)


def remove(database: Path) -> None:
    """Remove a database with its write-ahead log: a log left alone would be played into the next of that name."""
    database.unlink(missing_ok=True)
    database.with_name(database.name + ".wal").unlink(missing_ok=True)
