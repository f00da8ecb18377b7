"""Rows in Parquet files beside a result: which of them count, where they are, and what goes."""

import errno
import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from pathlib import Path, PurePosixPath
from typing import Any

from razzsim.schema import arrow_rows
from razzsim.store import database, objects
from razzsim.store.errors import StoreError
from razzsim.store.part import Part
from razzsim.store.part_folder import PartFolder, part_folder

_NO_LINKS = {errno.EXDEV, errno.EPERM, errno.ENOTSUP, errno.EMLINK}
_NAMES = ", ".join(field.name for field in fields(Part))


def refuse_foreign(folder: str | Path) -> None:
    """Raise StoreError when files lie where a new result would put its rows."""
    if part_folder(folder).names():
        raise StoreError(f"{folder}: holds rows of another result: move it away, or choose another --out")


def place_of(path: Path, part: str) -> str:
    """Where a part of this result is: beside it first, wherever both were moved, else where it was written.

    A file may say anything: what is not named like a part is looked for nowhere else, so that no other file is read.
    """
    near = database.parts_folder(path) / Path(part).name
    is_part = Path(part).suffix == ".parquet" and Path(part).parent.suffix == ".parts"
    return str(near) if near.exists() or not is_part else part


def bring(parts: Iterable[Part], folder: Path) -> Iterator[Part]:
    """Link or copy parts into a folder; they are told of as they lie there. Raises StoreError, OSError."""
    for part in parts:
        source, target = Path(part.path), folder / Path(part.path).name
        if not source.is_file():
            raise StoreError(f"{part.path}: rows of {part.level} were recorded in it, and it is missing: put it back")
        folder.mkdir(parents=True, exist_ok=True)
        _link(source, target)
        yield replace(part, path=str(target))


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)  # never over another
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        folder = part_folder(target.parent)  # on another disk
        with source.open("rb") as file, Path(folder.begin(target.name)).open("wb") as copy:
            shutil.copyfileobj(file, copy)
        folder.finish(target.name)


class Parts:
    """The files of one run's rows. Who holds the writer's connection may use it.

    table: where they are listed, if not in the connection's own file.
    """

    def __init__(self, folder: PartFolder, connection: database.Connection, run_id: str, table: str = "parts") -> None:
        self._folder, self._connection, self._run_id, self._table = folder, connection, run_id, table

    def insert(self, parts: Iterable[Part]) -> None:
        """Let these files count, within the caller's transaction."""
        rows = [{"run_id": self._run_id, **vars(part)} for part in parts]
        if rows:
            new = arrow_rows("parts", rows)  # noqa: F841 - DuckDB reads it by name
            self._connection.execute("INSERT INTO parts SELECT * FROM new")

    def remove(self, paths: Iterable[str]) -> None:
        """Let files not count any more, within the caller's transaction; they stay on the disk."""
        sql = "DELETE FROM parts WHERE run_id = ? AND path IN (SELECT unnest(?))"
        self._connection.execute(sql, [self._run_id, list(paths)])

    def listed(self, **columns: Any) -> list[Part]:
        """Files that count, in the order of what they hold; columns: only those with these values."""
        where = "".join(f" AND {name} = $x_{name}" for name in columns)
        sql = f"""SELECT {_NAMES} FROM {self._table} WHERE run_id = $run_id{where}
                  ORDER BY level, line_up, first_group, path"""
        params = {"run_id": self._run_id, **{f"x_{name}": value for name, value in columns.items()}}
        return [Part(*row) for row in self._connection.execute(sql, params).fetchall()]

    def come_along(self) -> None:
        """Of a result that was copied or moved with its files: use those beside it, not those where it was made."""
        there = set(self._folder.names())
        for part in self.listed():
            name = PurePosixPath(part.path).name
            if name in there and (beside := self._folder.path(name)) != part.path:
                sql = "UPDATE parts SET path = ? WHERE run_id = ? AND path = ?"
                self._connection.execute(sql, [beside, self._run_id, part.path])

    def make_own(self) -> None:
        """Have all files that count in this result's folder: a copied result's lie in that of the one it was copied
        from, which keeps them. Raises StoreError when one is missing.
        """
        there = set(self._folder.names())
        for part in self.listed():
            if (name := PurePosixPath(part.path).name) not in there:
                if objects.is_uri(self._folder.path(name)):
                    raise StoreError(f"{self._folder.path(name)}: rows of {part.level}: it is missing: put it back")
                (own,) = bring([part], Path(self._folder.path(name)).parent)
                sql = "UPDATE parts SET path = ? WHERE run_id = ? AND path = ?"
                self._connection.execute(sql, [own.path, self._run_id, part.path])

    def sweep(self) -> None:
        """Remove this run's files that never counted, and the folder when nothing is left in it."""
        listed = {PurePosixPath(part.path).name for part in self.listed()}
        for name in self._folder.names():
            if f"-{self._run_id}-" in name and name not in listed:
                self._folder.delete(name)
        self._folder.tidy()
