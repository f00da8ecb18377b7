"""razzsim report."""

import os
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from razzsim.report.model import Plot


class Format(StrEnum):
    """What kind of page."""

    html = "html"
    md = "md"


def report(
    result: Annotated[Path, typer.Argument(metavar="OUT", help="A result file, finished or being written.")],
    out: Annotated[Path | None, typer.Option(help="The page; default OUT's name with .html or .md.")] = None,
    format: Annotated[Format, typer.Option(help="One file with everything in it, or Markdown.")] = Format.html,
    plots: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Write the plots there too, as SVG.")] = None,
    run: Annotated[str | None, typer.Option(help="Which run of the file; default its only one.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
) -> None:
    """Write a result as a page to read, to print and to send: one file, without scripts, that needs no network.

    Example: razzsim report runs/quickstart.duckdb
    """
    from razzsim.cli.files import new_file

    if result.is_dir():
        raise typer.BadParameter(f"{result} is a folder, not a result file", param_hint="OUT")
    page = out or result.with_suffix(f".{format}")
    if page.exists() and result.exists() and page.samefile(result):
        raise typer.BadParameter(f"{page} is the result itself", param_hint="--out")
    _refuse_existing(page, "--out", force)
    from razzsim.report import render
    from razzsim.report.facts import Facts
    from razzsim.report.page import report as report_of

    made = report_of(Facts.read(result, run), with_plots=format is Format.html or plots is not None)
    links = _write_plots(plots, made.plots, page.parent, force) if plots else {}
    text = render.html(made) if format is Format.html else render.markdown(made, links)
    with new_file(page, replace=force) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
    print(page)


def _refuse_existing(path: Path, option: str, force: bool) -> None:
    """Before anything is read: what may not be written."""
    if path.exists() and not force:
        raise typer.BadParameter(f"{path} exists already; --force replaces it", param_hint=option)


def _write_plots(folder: Path, plots: "Sequence[Plot]", page_folder: Path, force: bool) -> dict[str, str]:
    """Write the plots into the folder; links to them from the page's folder, by name."""
    from razzsim.cli.files import new_file
    from razzsim.report import render

    folder.mkdir(exist_ok=True)
    files = {plot.name: folder / f"{plot.name}.svg" for plot in plots}
    for file in files.values():
        _refuse_existing(file, "--plots", force)
    for plot in plots:
        with new_file(files[plot.name], replace=force) as temporary:
            temporary.write_text(render.plot_file(plot), encoding="utf-8", newline="\n")
    return {name: Path(os.path.relpath(file, page_folder)).as_posix() for name, file in files.items()}
