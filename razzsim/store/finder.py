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
_EXAMPLE = "such as net_chips < -2000 AND street = 7"


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
        self._check(predicate)
        self._sql = f"SELECT {COLUMNS} FROM hand_seats WHERE ({predicate}\n) ORDER BY ALL LIMIT {limit}"
        self.nothing = self.matches(arrow_schema("hands").empty_table())

    def _check(self, predicate: str) -> None:
        """Refuse what is not one expression, and a subquery: it would see the hands of one buffer, not of the run."""
        try:
            duckdb.SQLExpression(predicate)
        except duckdb.Error as error:
            raise QueryError(f"{one_line(error)}; a condition is one expression, {_EXAMPLE}") from None
        asked = self._connection.execute("SELECT json_serialize_sql(?)", [f"SELECT ({predicate}\n)"])
        ((tree,),) = asked.fetchall()
        if '"class":"SUBQUERY"' in tree:
            raise QueryError(
                "a subquery is not allowed in a condition, which is asked of few hands at a time: record the rows with "
                "razzsim materialize --level hands, then ask them with razzsim query"
            )

    def matches(self, hands: pa.Table) -> pa.Table:
        """The first seats of these hands that meet the condition; hands: Arrow table of the level `hands`."""
        try:
            self._connection.register("hands", hands)
            return self._connection.sql(self._sql).to_arrow_table()
        except duckdb.Error as error:
            raise QueryError(one_line(error)) from None
        finally:
            self._connection.unregister("hands")
