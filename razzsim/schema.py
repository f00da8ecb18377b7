"""What is made of the table definitions: DDL with comments, Arrow schemas and rows, the words of docs/schema.md."""

from typing import TYPE_CHECKING, Any

from razzsim.records import ROW_TABLES, TABLES, TableOf, table_of

if TYPE_CHECKING:  # only processes that read or write rows need Arrow
    import pyarrow as pa


def ddl() -> list[str]:
    """Statements that create all tables of the database, with their comments."""
    return [statement for table in TABLES for statement in table_ddl(table)]


def table_ddl(table: TableOf) -> list[str]:
    """Statements that create one table, with its comments."""
    columns = ", ".join(f"{c.name} {c.type}{' NOT NULL' if c.is_key else ''}" for c in table.columns)
    return [
        f"CREATE TABLE {table.name} ({columns}, PRIMARY KEY ({', '.join(table.key)}))",
        f"COMMENT ON TABLE {table.name} IS {quoted(table.meaning)}",
        *(f"COMMENT ON COLUMN {table.name}.{c.name} IS {quoted(c.meaning)}" for c in table.columns),
    ]


def quoted(text: str) -> str:
    """A string literal."""
    return "'" + text.replace("'", "''") + "'"


def arrow_schema(name: str) -> "pa.Schema":
    """The Arrow schema of a table."""
    import pyarrow as pa

    types = {
        "VARCHAR": pa.string(),
        "UTINYINT": pa.uint8(),
        "TINYINT": pa.int8(),
        "USMALLINT": pa.uint16(),
        "UINTEGER": pa.uint32(),
        "INTEGER": pa.int32(),
        "BIGINT": pa.int64(),
        "UBIGINT": pa.uint64(),
        "HUGEINT": pa.decimal128(38, 0),
        "DOUBLE": pa.float64(),
        "TIMESTAMP": pa.timestamp("us"),
        "INTEGER[]": pa.list_(pa.int32()),
    }
    return pa.schema([(column.name, types[column.type]) for column in table_of(name).columns])


def arrow_rows(name: str, rows: list[dict[str, Any]]) -> "pa.Table":
    """Rows of a table in Arrow; missing values are NULL, and an unknown column is an error."""
    import pyarrow as pa

    schema = arrow_schema(name)
    names = set(schema.names)
    assert all(set(row) <= names for row in rows), f"unknown column of {name}"
    return pa.Table.from_pylist(rows, schema=schema)


def described() -> list[dict[str, Any]]:
    """All tables with their columns as plain values: what `razzsim schema` prints."""
    return [
        {
            "table": table.name,
            "stored": "database" if table in TABLES else "Parquet parts",
            "meaning": table.meaning,
            "columns": [
                {"column": c.name, "type": c.type, "key": c.is_key, "meaning": c.meaning} for c in table.columns
            ],
        }
        for table in (*TABLES, *ROW_TABLES)
    ]
