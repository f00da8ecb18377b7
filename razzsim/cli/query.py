"""razzsim query."""

import sys
from decimal import Decimal
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
    param: Annotated[
        list[str] | None, typer.Option(metavar="K=V", help="Value of $K in the SQL; K='V' is text.")
    ] = None,
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
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _print(table: "pa.Table", format: Format) -> None:
    from razzsim.cli.output import as_json, print_table

    names, rows = table.column_names, _rows(table)
    if format is Format.csv:
        _print_csv(names, rows)
    elif format is Format.json:
        if len(set(names)) < len(names):
            raise typer.BadParameter(f"columns of one name ({', '.join(names)}): name them apart with AS for json")
        sys.stdout.write(as_json([dict(zip(names, row, strict=True)) for row in rows]) + "\n")
    else:
        numeric = [any(isinstance(row[i], int | float | Decimal) for row in rows) for i in range(len(names))]
        print_table(names, [[_cell(value) for value in row] for row in rows], numeric)


def _rows(table: "pa.Table") -> list[tuple[Any, ...]]:
    """Rows by position, so that columns of one name keep their own values."""
    from razzsim.store import QueryError

    try:
        return list(zip(*(column.to_pylist() for column in table.columns), strict=True))
    except (OverflowError, ValueError) as error:
        raise QueryError(f"a value cannot be shown ({error}): cast it to VARCHAR") from None


def _print_csv(names: list[str], rows: list[tuple[Any, ...]]) -> None:
    import csv

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)


def _cell(value: Any) -> str:
    if value is None:
        return "NULL"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
