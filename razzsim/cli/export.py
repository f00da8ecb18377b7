"""razzsim export."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Format(StrEnum):
    """What kind of files."""

    parquet = "parquet"
    csv = "csv"


def export(
    out: Annotated[Path, typer.Argument(help="A result file, finished or being written.")],
    folder: Annotated[Path, typer.Argument(help="A new or empty folder for the files.")],
    format: Annotated[Format, typer.Option(help="What kind of files; csv keeps lists as text.")] = Format.parquet,
) -> None:
    """Write every table, every view and the recorded rows of a result as files for other programs.

    Example: razzsim export runs/quickstart.duckdb exported --format csv
    """
    from razzsim.store import Reader
    from razzsim.store.export import export as export_all

    with Reader(out) as reader:
        written = export_all(reader, folder, format.value)
    for path, n in written:
        print(f"{path}: {n:,} rows")
