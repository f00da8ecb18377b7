"""razzsim query."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from razzsim.cli.answer import Format


def query(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help="A result, finished or being written: a file, or s3://BUCKET/KEY.duckdb (without its rows); several, "
            "or a folder, are asked as one.",
        ),
    ],
    sql: Annotated[str, typer.Argument(help="One SELECT or EXPLAIN; - reads it from standard input.")],
    format: Annotated[
        Format, typer.Option(help="How to give the answer; a table ends after 1000 rows.")
    ] = Format.table,
    out: Annotated[Path | None, typer.Option(help="A new file for the answer.")] = None,
    param: Annotated[
        list[str] | None, typer.Option(metavar="K=V", help="Value of $K in the SQL; K='V' is text.")
    ] = None,
    timeout_s: Annotated[float, typer.Option(min=0.001, max=86400, help="Seconds after which it is stopped.")] = 30,
) -> None:
    """Ask results anything in SQL. They are only read; nothing else on the disk can be reached.

    Example: razzsim query runs/quickstart.duckdb "SELECT * FROM standings"
    """
    from contextlib import ExitStack

    from razzsim.cli.answer import check, give
    from razzsim.store.fetch import local_copy
    from razzsim.store.several import open_results

    check(format, out)
    params = _params(param or [])
    with ExitStack() as copies:
        results = copies.enter_context(open_results([copies.enter_context(local_copy(file)) for file in files]))
        text = sys.stdin.read() if sql == "-" else sql
        table = results.query(text, params, timeout_s)
    give(table, format, out)


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
