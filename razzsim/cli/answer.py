"""The answer to a query: as a table for people, or whole as CSV, JSON or Parquet."""

import os
import sys
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from typer import BadParameter

from razzsim.cli.log import note
from razzsim.cli.output import as_json, print_table

if TYPE_CHECKING:
    import pyarrow as pa

MOST_LINES = 1000
"""Of a table: more is for programs to read, and they get all of it in the other formats."""


class Format(StrEnum):
    """How the answer is printed."""

    table = "table"
    csv = "csv"
    json = "json"
    parquet = "parquet"


def check(format: Format, out: Path | None) -> None:
    """Refuse, before anything is asked, what cannot be written."""
    if out is None and format is Format.parquet:
        raise BadParameter("parquet is written to a file: say --out FILE", param_hint="--format")
    if out is not None and format is Format.table:
        raise BadParameter("a file wants --format csv, json or parquet", param_hint="--out")
    if out is not None and out.exists():
        raise BadParameter(f"{out} exists already", param_hint="--out")


def give(table: "pa.Table", format: Format, out: Path | None) -> None:
    """Print the answer, or write it to a new file."""
    from razzsim.cli.files import new_file

    if format in {Format.json, Format.parquet} and len(set(table.column_names)) < table.num_columns:
        names = ", ".join(table.column_names)
        raise BadParameter(f"columns of one name ({names}): name them apart with AS for {format}")
    if out is None:
        try:
            show(table, format, sys.stdout)
            sys.stdout.flush()
        except BrokenPipeError:  # who reads has enough; Python would complain again when it ends
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return
    with new_file(out) as temporary:
        if format is Format.parquet:
            import pyarrow as pa
            import pyarrow.parquet as pq

            try:
                pq.write_table(table, temporary)
            except pa.ArrowNotImplementedError as error:  # DuckDB has types that Parquet lacks, such as INTERVAL
                raise BadParameter(f"{error}: cast it to VARCHAR", param_hint="--format parquet") from None
        else:
            with temporary.open("w", encoding="utf-8", newline="") as stream:
                show(table, format, stream)
    note(f"{out}: {table.num_rows:,} rows")


def show(table: "pa.Table", format: Format, stream: TextIO) -> None:
    """Write the answer to a stream."""
    names = table.column_names
    if format is Format.csv:
        import csv

        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(_rows(table))
    elif format is Format.json:
        stream.write(as_json([dict(zip(names, row, strict=True)) for row in _rows(table)]) + "\n")
    else:
        rows = _rows(table.slice(0, MOST_LINES))
        numeric = [any(isinstance(row[i], int | float | Decimal) for row in rows) for i in range(len(names))]
        print_table(names, [[_cell(value) for value in row] for row in rows], numeric, stream)
        if left_out := table.num_rows - len(rows):
            note(f"{left_out:,} more rows left out; --format csv prints all")


def _rows(table: "pa.Table") -> list[tuple[Any, ...]]:
    """Rows by position, so that columns of one name keep their own values."""
    from razzsim.store import QueryError

    try:
        return list(zip(*(column.to_pylist() for column in table.columns), strict=True))
    except (OverflowError, ValueError) as error:
        raise QueryError(f"a value cannot be shown ({error}): cast it to VARCHAR") from None


def _cell(value: Any) -> str:
    if value is None:
        return "NULL"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
