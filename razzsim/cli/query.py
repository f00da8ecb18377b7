"""razzsim query."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import pyarrow as pa


class Format(StrEnum):
    """How the answer is printed."""

    table = "table"
    csv = "csv"
    json = "json"


def query(
    file: Annotated[Path, typer.Argument(help="A result file, finished or being written.")],
    sql: Annotated[str, typer.Argument(help="One SELECT or EXPLAIN; - reads it from standard input.")],
    format: Annotated[Format, typer.Option(help="How to print the answer.")] = Format.table,
    param: Annotated[list[str] | None, typer.Option(metavar="K=V", help="Value of $K in the SQL; repeatable.")] = None,
    timeout_s: Annotated[float, typer.Option(min=0.001, max=86400, help="Seconds after which it is stopped.")] = 30,
) -> None:
    """Ask a result anything in SQL. It is only read; nothing else on the disk can be reached.

    Example: razzsim query runs/quickstart.duckdb "SELECT * FROM standings"
    """
    from razzsim.store import Reader

    with Reader(file) as reader:
        text = sys.stdin.read() if sql == "-" else sql
        table = reader.query(text, _params(param or []), timeout_s)
    _print(table, format)


def _params(given: list[str]) -> dict[str, Any]:
    params: dict[str, Any] = {}
    for item in given:
        key, equals, value = item.partition("=")
        if not equals or not key.isidentifier():
            raise typer.BadParameter(f"{item!r} is not allowed: name=value", param_hint="--param")
        params[key] = _number(value)
    return params


def _number(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _print(table: "pa.Table", format: Format) -> None:
    from razzsim.cli.output import as_json, print_table

    if format is Format.csv:
        _print_csv(table)
        return
    rows = table.to_pylist()
    if format is Format.json:
        sys.stdout.write(as_json(rows) + "\n")
        return
    numeric = [any(isinstance(row[name], int | float) for row in rows) for name in table.column_names]
    cells = [[_cell(row[name]) for name in table.column_names] for row in rows]
    print_table(table.column_names, cells, numeric)


def _print_csv(table: "pa.Table") -> None:
    import csv

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(table.column_names)
    writer.writerows([row[name] for name in table.column_names] for row in table.to_pylist())


def _cell(value: Any) -> str:
    if value is None:
        return "NULL"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
