"""Several results asked as one: their tables and views show the rows of all of them; run_id tells them apart."""

import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from razzsim import schema
from razzsim.records import SCHEMA_VERSION, TABLES
from razzsim.store import database
from razzsim.store.errors import HeldError, NotAResultError, StoreError
from razzsim.store.questions import CLOSED, Questions, lock_down
from razzsim.store.reader import Reader

_log = logging.getLogger(__name__)
_COPIES = re.compile(r"\.(snapshot|schema\d+)\.duckdb$")


def results_under(folder: Path) -> list[Path]:
    """Files that may be results, without snapshots of running experiments and copies from before a migration."""
    return sorted(path for path in folder.rglob("*.duckdb") if not _COPIES.search(path.name))


def open_results(paths: Sequence[Path]) -> Questions:
    """One result, or several as one; a folder stands for the results in it. Raises StoreError kinds."""
    if len(paths) == 1 and not paths[0].is_dir():
        return Reader(paths[0])
    found: list[_Source] = []
    for path in paths:
        found += _sources_in(path) if path.is_dir() else [_source(path)]
    return Several(found)


@dataclass(frozen=True)
class _Source:
    """What is attached for a result: the file or its snapshot, its runs and its parts."""

    path: Path
    file: Path
    runs: tuple[str, ...]
    parts: Mapping[str, Sequence[str]]


def _source(path: Path) -> _Source:
    with Reader(path) as reader:
        rows = reader.query("SELECT run_id, schema_version FROM runs").to_pylist()
        if any(row["schema_version"] < SCHEMA_VERSION for row in rows):
            raise HeldError(f"{reader.held} of an older razzsim: ask for it alone")
        return _Source(path, reader.source, tuple(row["run_id"] for row in rows), reader.parts)


def _sources_in(folder: Path) -> list[_Source]:
    found = []
    for path in results_under(folder):
        try:
            found.append(_source(path))
        except StoreError as error:
            _log.warning("left out: %s", error)
    if not found:
        raise NotAResultError(f"{folder}: is a folder without results")
    return found


class Several(Questions):
    """Questions to all of these results together."""

    def __init__(self, sources: Sequence[_Source]) -> None:
        """Raises StoreError when a run would count twice."""
        _refuse_twice(sources)
        parts: dict[str, list[str]] = {}
        for source in sources:
            for level, paths in source.parts.items():
                parts.setdefault(level, []).extend(paths)
        beside = f"{sources[0].file.absolute()}.tmp"  # where DuckDB puts what memory cannot hold, as for one file
        connection = duckdb.connect(":memory:", config={**CLOSED, "temp_directory": beside})
        try:
            for number, source in enumerate(sources):
                _attach(connection, source, f"file_{number}")
            _show_all(connection, [f"file_{number}" for number in range(len(sources))])
            lock_down(connection, parts)
        except BaseException:
            connection.close()
            raise
        super().__init__(connection, parts)


def _refuse_twice(sources: Iterable[_Source]) -> None:
    files: dict[Path, Path] = {}
    runs: dict[str, Path] = {}
    for source in sources:
        file = source.path.resolve()
        if file in files:
            raise StoreError(f"{source.path}: is the same file as {files[file]}: its hands would count twice")
        files[file] = source.path
        for run in source.runs:
            if run in runs:
                raise StoreError(f"{source.path}: holds run {run}, as {runs[run]} does: its hands would count twice")
            runs[run] = source.path


def _attach(connection: database.Connection, source: _Source, name: str) -> None:
    try:
        connection.execute(f"ATTACH {schema.quoted(str(source.file.resolve()))} AS {name} (READ_ONLY)")
    except duckdb.Error as error:
        raise database.opening_problem(source.file, str(error)) from None


def _show_all(connection: database.Connection, names: Sequence[str]) -> None:
    """The tables as views of all files, and the views of a result on top of them."""
    for table in TABLES:
        rows = " UNION ALL BY NAME ".join(f"SELECT * FROM {name}.{table.name}" for name in names)
        connection.execute(f"CREATE VIEW {table.name} AS {rows}")
        connection.execute(f"COMMENT ON VIEW {table.name} IS {schema.quoted(table.meaning)}")
    database.create_views(connection)
