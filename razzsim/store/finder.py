"""Questions about hands that are not stored: a condition in SQL on rows in memory, with the views of a result file."""

from collections.abc import Mapping, Sequence
from typing import Any

import duckdb
import pyarrow as pa

from razzsim.schema import arrow_rows, arrow_schema
from razzsim.store import database
from razzsim.store.errors import QueryError
from razzsim.store.questions import one_line

COLUMNS = (
    "line_up, deal, rotation, seat, entrant, position, street, cards, put_chips, net_chips, pot_chips, showdown, won"
)
"""Of the view hand_seats: what is told of a hand that was found."""


class HandFinder:
    """Finds seats in hands by a condition on the view hand_seats.

    rows: the plan's rows of runs, entrants and line_ups. Raises QueryError when the condition does not hold together.
    """

    def __init__(self, rows: Mapping[str, Sequence[dict[str, Any]]], predicate: str, limit: int) -> None:
        self._connection = duckdb.connect(":memory:")
        database.create_schema(self._connection)
        for name, made in rows.items():
            self._connection.register("new", arrow_rows(name, list(made)))
            self._connection.execute(f"INSERT INTO {name} SELECT * FROM new")
        self._connection.unregister("new")
        for setting in ("enable_external_access = false", "threads = 1", "lock_configuration = true"):
            self._connection.execute(f"SET {setting}")
        self._sql = f"SELECT {COLUMNS} FROM hand_seats WHERE ({predicate}\n) ORDER BY ALL LIMIT {limit}"
        self.nothing = self.matches(arrow_schema("hands").empty_table())

    def matches(self, hands: pa.Table) -> pa.Table:
        """The first seats of these hands that meet the condition; hands: Arrow table of the level `hands`."""
        try:
            if len(self._connection.extract_statements(self._sql)) != 1:
                raise QueryError("a condition is one expression, such as net_chips < -2000 AND street = 7")
            self._connection.register("hands", hands)
            return self._connection.sql(self._sql).to_arrow_table()
        except duckdb.Error as error:
            raise QueryError(one_line(error)) from None
        finally:
            self._connection.unregister("hands")
