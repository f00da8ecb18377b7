"""Writing into a result's database: all of something or nothing, and what goes wrong in words."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb

from razzsim.schema import arrow_rows
from razzsim.store import database
from razzsim.store.errors import DiskError


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Errors of the database or the disk as DiskError."""
    try:
        yield
    except (duckdb.Error, OSError) as error:
        raise DiskError(f"{path}: cannot be written: {' '.join(str(error).split())[:300]}") from None


@contextmanager
def transaction(path: Path, connection: database.Connection) -> Iterator[None]:
    """All of it or nothing."""
    with writing(path):
        connection.begin()
        try:
            yield
            connection.commit()
        except BaseException:
            with suppress(duckdb.Error):  # what failed may have ended the transaction already
                connection.rollback()
            raise


def insert(connection: database.Connection, name: str, rows: list[dict[str, Any]], conflict: str = "") -> None:
    """Insert rows into a table of records; conflict: what to do with those that are there, in SQL."""
    if rows:
        new = arrow_rows(name, rows)  # noqa: F841 - DuckDB reads it by name
        connection.execute(f"INSERT INTO {name} SELECT * FROM new {conflict}")


def now() -> datetime:
    """The time in UTC, as results keep it."""
    return datetime.now(UTC).replace(tzinfo=None)
