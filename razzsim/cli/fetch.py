"""razzsim fetch."""

from pathlib import Path
from typing import Annotated

import typer


def fetch(
    out: Annotated[str, typer.Argument(metavar="URI", help="A result in object storage: s3://BUCKET/KEY.duckdb.")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that is there, for the copy.")] = Path(),
) -> None:
    """Copy a result, or the snapshot of one that is being written, from object storage, with its recorded rows.

    Example: razzsim fetch s3://bucket/quickstart.duckdb runs
    """
    from razzsim.store.fetch import fetch as fetch_all
    from razzsim.store.objects import is_uri

    if not is_uri(out):
        raise typer.BadParameter(f"{out} is not allowed: s3://BUCKET/KEY.duckdb", param_hint="URI")
    path, n_parts = fetch_all(out, folder)
    print(f"{path}: fetched" + (f", with {n_parts:,} files of rows" if n_parts else ""))
