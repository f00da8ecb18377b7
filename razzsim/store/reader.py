"""Reading result files: anybody, any time, without touching anything else on the disk."""

import logging
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import duckdb
import pyarrow as pa

from razzsim import schema
from razzsim.records import SCHEMA_VERSION
from razzsim.store import database
from razzsim.store.errors import HeldError, NotAResultError, QueryError

# A query reads this file, the parts it names, and nothing else: no other files, no extensions, no settings.
_CLOSED = {
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",  # nor variables of this program
}
_log = logging.getLogger(__name__)
_READING = {"SELECT", "EXPLAIN"}


class Reader:
    """Queries on a result file; while a run writes it, on its last snapshot."""

    def __init__(self, path: str | Path) -> None:
        """Raises NotAResultError when there is nothing to read, HeldError when a run has no snapshot yet."""
        self.path = Path(path)
        self.held: HeldError | None = None
        """Says who writes the file, when this reads its snapshot."""
        self._connection = self._open()
        try:
            self._bring_up_to_date()
            self._parts = self._lock_down()
        except BaseException:
            self._connection.close()
            raise

    def _bring_up_to_date(self) -> None:
        version = database.schema_version(self._connection, self.path)
        if version < SCHEMA_VERSION and not self.is_snapshot:
            self._connection.close()
            backup = database.migrate(self.path, version)
            _log.warning(
                "%s: brought from schema version %d to %d; as it was: %s", self.path, version, SCHEMA_VERSION, backup
            )
            self._connection = self._open()

    def _lock_down(self) -> dict[str, list[str]]:
        """Close everything but the parts, by level; a part is also found beside the file, wherever both were moved."""
        folder = database.parts_folder(self.path)
        parts = {
            level: [path if Path(path).exists() else str(folder / Path(path).name) for path in paths]
            for level, paths in database.part_paths(self._connection).items()
        }
        allowed = ", ".join(schema.quoted(path) for paths in parts.values() for path in paths)
        self._connection.execute(f"SET allowed_paths = [{allowed}]")
        self._connection.execute("SET enable_external_access = false")
        self._connection.execute("SET lock_configuration = true")
        return parts

    @property
    def is_snapshot(self) -> bool:
        """Whether this is the copy of a file that is being written."""
        return self.held is not None

    def _open(self) -> database.Connection:
        """The file itself, or its snapshot; a run that ends at this moment takes its snapshot with it."""
        snapshot = database.snapshot_path(self.path)
        for path in (self.path, snapshot, self.path):
            try:
                connection = database.connect(path, read_only=True, config=_CLOSED)
            except HeldError as error:
                self.held = error
            except NotAResultError:
                if path == self.path:
                    raise
            else:
                self.held = self.held if path == snapshot else None
                return connection
        assert self.held
        raise self.held

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def query(self, sql: str, params: Mapping[str, Any] | None = None, timeout_s: float = 30) -> pa.Table:
        """The result of one SELECT or EXPLAIN as an Arrow table.

        params: values of $name in the text. Raises QueryError for anything else, with DuckDB's own words.
        """
        self._refuse_writing(sql)
        cursor = self._connection.cursor()
        if self._parts:
            database.set_row_views(cursor, self._parts, temporary=True)
        timed_out = threading.Event()

        def stop() -> None:
            timed_out.set()
            cursor.interrupt()

        timer = threading.Timer(timeout_s, stop)
        timer.start()
        try:
            return cursor.sql(sql, params=dict(params) if params else None).to_arrow_table()
        except duckdb.Error as error:
            if timed_out.is_set():
                raise QueryError(f"took longer than {timeout_s:g} s and was stopped") from None
            raise QueryError(str(error)) from None
        finally:
            timer.cancel()
            cursor.close()

    def _refuse_writing(self, sql: str) -> None:
        try:
            statements = self._connection.extract_statements(sql)
        except duckdb.Error as error:
            raise QueryError(str(error)) from None
        if len(statements) != 1:
            raise QueryError(f"{len(statements)} statements; one SELECT or EXPLAIN at a time")
        kind = statements[0].type.name
        if kind not in _READING:
            raise QueryError(f"{kind} is not allowed: a result is only read, with SELECT or EXPLAIN")

    def run_row(self, run_id: str | None = None) -> dict[str, Any]:
        """The row of a run, or of the file's only one. Raises NotAResultError when there is none, or which is open."""
        rows: list[dict[str, Any]] = self.query("SELECT * FROM runs ORDER BY run_id").to_pylist()
        named = [row for row in rows if run_id in (None, row["run_id"])]
        if len(named) != 1:
            ids = ", ".join(row["run_id"] for row in rows) or "none"
            what = f"has no run {run_id}" if run_id else f"holds {len(rows)} runs, name one with --run"
            raise NotAResultError(f"{self.path}: {what}; there are: {ids}")
        return named[0]
