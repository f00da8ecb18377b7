"""razzsim label."""

from pathlib import Path
from typing import Annotated

import typer


def on_one_line(text: str | None) -> str | None:
    """The text, if lists can show it: refuses line ends and other characters that move the cursor."""
    if text is not None and not text.isprintable():
        raise typer.BadParameter(
            f"{text!r} is not allowed: printable characters on one line; --note of label takes more"
        )
    return text


def label(
    out: Annotated[Path, typer.Argument(help="A result file that nobody writes.")],
    label: Annotated[str, typer.Argument(callback=on_one_line, help="A short name for its run; '' takes it away.")],
    note: Annotated[str | None, typer.Option(help="What you want to remember about it; '' takes it away.")] = None,
    run: Annotated[str | None, typer.Option("--run", help="Which run of the file; default its only one.")] = None,
) -> None:
    """Name a run, so that `razzsim runs` and SQL can tell it by that name. Its numbers do not change.

    Example: razzsim label runs/quickstart.duckdb baseline --note "before the new thief"
    """
    from razzsim.store import Reader, Writer

    with Reader(out) as reader:
        if reader.held:
            raise reader.held
        run_id = reader.run_row(run)["run_id"]
    writer = Writer.open(out, run_id)
    try:
        writer.set_label(label, note)
    finally:
        writer.close()
    print(f"{out}: run {run_id} is {label!r} now" if label else f"{out}: run {run_id} has no label now")
