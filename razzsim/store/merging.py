"""Files of one run put together: what each holds is added to a new one, exactly, and nothing twice."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from razzsim.records import TABLES
from razzsim.store import database
from razzsim.store.database import parts_folder
from razzsim.store.errors import StoreError
from razzsim.store.part import Part
from razzsim.store.part_folder import part_folder
from razzsim.store.parts import Parts, place_of

_MADE_OF_THE_PLAN = ("runs", "entrants", "line_ups")
_ADDED_UP = ("group_sums", "group_cross", "behaviour", "positions", "start_hands")
_TOLD_ALIKE = ("failures", "workers")
"""Two files may both tell of a try that failed in both, or of a worker that played for both."""


class Sources:
    """Files of one run, attached to the connection of the file that they are put together in.

    They are locked meanwhile: nobody writes them. Raises HeldError when somebody does.
    """

    def __init__(self, connection: database.Connection, run_id: str, paths: Sequence[Path]) -> None:
        self._connection, self._run_id = connection, run_id
        self._files = {f"file_{number}": path for number, path in enumerate(paths)}
        for name, path in self._files.items():
            database.attach(connection, path, name)

    def refuse_overlaps(self) -> None:
        """Raise StoreError when a deal is in two of the files."""
        played = " UNION ALL ".join(
            f"SELECT '{name}' AS file, line_up, first_group, n_groups FROM {name}.chunks" for name in self._files
        )
        row = self._connection.execute(
            f"""SELECT line_up, first_group, first_group + n_groups - 1, before, file FROM (
                    SELECT *, lag(file) OVER told AS before, lag(first_group + n_groups) OVER told AS free
                    FROM ({played}) WINDOW told AS (PARTITION BY line_up ORDER BY first_group, file))
                WHERE first_group < free ORDER BY first_group, line_up LIMIT 1"""
        ).fetchone()
        if row:
            line_up, first, last, before, file = row
            raise StoreError(
                f"{self._files[file]}: line-up {line_up}, deals {first} to {last}, is in {self._files[before]} too: "
                "its hands would count twice"
            )

    def add_rows(self) -> None:
        """Add what they hold, within the caller's transaction; without parts, and what the plan says."""
        for name in self._files:
            for table in TABLES:
                if table.name in _MADE_OF_THE_PLAN or table.name == "parts":
                    continue
                sql = f"INSERT INTO {table.name} BY NAME SELECT * FROM {name}.{table.name}"
                values = [column.name for column in table.columns if not column.is_key]
                if table.name in _ADDED_UP:
                    added = ", ".join(f"{value} = {table.name}.{value} + excluded.{value}" for value in values)
                    sql += f" ON CONFLICT DO UPDATE SET {added}"
                elif table.name in _TOLD_ALIKE:
                    sql += " ON CONFLICT DO NOTHING"
                self._connection.execute(sql)

    def stopped_line_ups(self) -> list[int]:
        """Numbers of those that a failing strategy stopped."""
        stopped = " UNION ".join(
            f"SELECT line_up FROM {name}.line_ups WHERE status = 'stopped'" for name in self._files
        )
        return [line_up for (line_up,) in self._connection.execute(stopped).fetchall()]

    def parts(self) -> Iterator[Part]:
        """Their files of rows, with the paths where they are now."""
        for name, path in self._files.items():
            folder = part_folder(parts_folder(path))
            for part in Parts(folder, self._connection, self._run_id, f"{name}.parts").listed():
                yield replace(part, path=place_of(path, part.path))

    def detach(self) -> None:
        """Let them go."""
        for name in self._files:
            self._connection.execute(f"DETACH {name}")
