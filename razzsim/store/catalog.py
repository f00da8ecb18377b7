"""What a result holds by name: its tables and views as DuckDB lists them."""

from typing import Any

import duckdb

from razzsim.records import ROW_TABLES
from razzsim.store import database

VIEWS = """
SELECT v.view_name AS view, any_value(v.comment) AS meaning,
       list({'column': c.column_name, 'type': c.data_type, 'meaning': coalesce(c.comment, '')}
            ORDER BY c.column_index) AS columns
FROM duckdb_views() v
JOIN duckdb_columns() c ON (c.database_oid, c.table_oid) = (v.database_oid, v.view_oid)
WHERE NOT v.internal AND NOT v.temporary AND v.view_name NOT IN (SELECT unnest($rows))
GROUP BY v.view_name ORDER BY v.view_name
"""
NAMES = """
SELECT name FROM (
    SELECT table_name AS name, 1 AS place FROM duckdb_tables() WHERE NOT internal AND NOT temporary
    UNION ALL
    SELECT view_name, 2 FROM duckdb_views() WHERE NOT internal AND NOT temporary)
ORDER BY place, name
"""
"""Tables, then views, of an open result."""


def described_views() -> list[dict[str, Any]]:
    """The views of a result with their columns as plain values, without those that show Parquet rows."""
    with duckdb.connect() as connection:
        database.create_schema(connection)
        rows = [table.name for table in ROW_TABLES]
        views: list[dict[str, Any]] = connection.sql(VIEWS, params={"rows": rows}).to_arrow_table().to_pylist()
    return views
