"""Questions in SQL to an open result: one SELECT at a time, with nothing else on the disk in reach."""

import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import duckdb
import pyarrow as pa

from razzsim import schema
from razzsim.store import database
from razzsim.store.errors import DiskError, QueryError
from razzsim.store.parts import place_of

CLOSED = {
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",  # nor variables of this program
}
"""What a connection for questions is opened with; `lock_down` closes the rest."""
_EXPLAIN = re.compile(r"(?:\s|--[^\n]*\n|/\*.*?\*/)*EXPLAIN(?:\s+ANALYZE\b)?(?:\s*\([^)]*\))?", re.I | re.S)
_PLACE = re.compile(r"\n+LINE (\d+): (.*)\n( *)(\^+)\s*$")


class Questions:
    """Answers single SELECTs on a connection that is already locked down."""

    _named = "a result"
    """What cannot be read, in words."""

    def __init__(self, connection: database.Connection, parts: Mapping[str, Sequence[str]]) -> None:
        """parts: Parquet files by level."""
        self._connection, self.parts = connection, parts

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
        with self.asked(sql, params, timeout_s) as relation:
            return relation.to_arrow_table()

    @contextmanager
    def asked(
        self, sql: str, params: Mapping[str, Any] | None = None, timeout_s: float | None = None
    ) -> Iterator[duckdb.DuckDBPyRelation]:
        """The same, not yet computed, for as long as the block lasts."""
        self._refuse_writing(sql)
        cursor = self._connection.cursor()
        given = dict(params) if params else None
        with _stopped_after(timeout_s, cursor) as timed_out:
            try:
                if self.parts:
                    database.set_row_views(cursor, self.parts, temporary=True)
                yield cursor.sql(sql, params=given)
            except duckdb.Error as error:
                if timed_out.is_set():
                    raise QueryError(f"took longer than {timeout_s:g} s and was stopped") from None
                if type(error) in (duckdb.Error, duckdb.IOException):  # DuckDB has no class for a wrong checksum
                    raise DiskError(f"{self._named}: cannot be read: {one_line(error)}") from None
                raise QueryError(_words(_with_place(error, cursor, sql, given), sql)) from None
            finally:
                cursor.close()

    def _refuse_writing(self, sql: str) -> None:
        try:
            statements = self._connection.extract_statements(sql)
        except duckdb.Error as error:
            raise QueryError(_words(error, sql)) from None
        if len(statements) != 1:
            raise QueryError(f"{len(statements)} statements; one SELECT or EXPLAIN at a time")
        kind = statements[0].type.name
        if kind == "EXPLAIN":  # with ANALYZE it would execute whatever follows
            explained = _EXPLAIN.match(sql)
            kind = "SELECT" if explained and self._is_select(sql[explained.end() :]) else "EXPLAIN of another statement"
        if kind != "SELECT":
            raise QueryError(f"{kind} is not allowed: a result is only read, with SELECT or EXPLAIN")

    def _is_select(self, sql: str) -> bool:
        return [statement.type.name for statement in self._connection.extract_statements(sql)] == ["SELECT"]


def lock_down(connection: database.Connection, parts: Mapping[str, Sequence[str]]) -> None:
    """Close everything but these Parquet files, for good: no other files, no extensions, no settings."""
    allowed = ", ".join(schema.quoted(path) for paths in parts.values() for path in paths)
    connection.execute(f"SET allowed_paths = [{allowed}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def parts_of(connection: database.Connection, path: Path) -> dict[str, list[str]]:
    """The parts of a result by level, where they are now."""
    listed = database.part_paths(connection)
    return {level: [place_of(path, part) for part in parts] for level, parts in listed.items()}


@contextmanager
def _stopped_after(seconds: float | None, cursor: database.Connection) -> Iterator[threading.Event]:
    """Interrupt the cursor when the block takes longer; the event says that it did."""
    timed_out = threading.Event()
    if seconds is None:
        yield timed_out
        return

    has_ended = threading.Event()

    def stop() -> None:
        if not has_ended.wait(seconds):
            timed_out.set()
        while not has_ended.wait(0.05):  # DuckDB forgets an interrupt that comes before it executes
            cursor.interrupt()

    threading.Thread(target=stop, daemon=True).start()
    try:
        yield timed_out
    finally:
        has_ended.set()


def _with_place(
    error: duckdb.Error, cursor: database.Connection, sql: str, params: dict[str, Any] | None
) -> duckdb.Error:
    """DuckDB tells the place only of what is executed. What could not be bound fails again before it runs."""
    if isinstance(error, duckdb.BinderException | duckdb.CatalogException) and not _PLACE.search(str(error)):
        try:
            cursor.execute(sql, params)
        except duckdb.Error as placed:
            return placed
    return error


def one_line(error: duckdb.Error) -> str:
    """DuckDB's words on one line, without the place."""
    return " ".join(_PLACE.sub("", str(error)).split())


def _words(error: duckdb.Error, sql: str) -> str:
    """DuckDB's words on one line, with line:column before them and the line with its carets after them."""
    text = str(error)
    place = _PLACE.search(text)
    if place is None:
        return one_line(error)
    number, excerpt, spaces, carets = place.groups()
    column = len(spaces) - len(f"LINE {number}: ")
    pad = " " * column
    lines = sql.split("\n")
    if excerpt.startswith("...") and int(number) <= len(lines):  # DuckDB shortens long lines
        column += lines[int(number) - 1].find(excerpt.strip(".")) - len("...")
    return f"{number}:{column + 1}: {one_line(error)}\n{excerpt}\n{pad}{carets}"
