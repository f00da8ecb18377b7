"""razzsim verify."""

import re
import secrets
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from razzsim.cli.replay import LOCAL, OUT, RUN, WORKERS

if TYPE_CHECKING:
    from razzsim.runner.verify import Difference, Verified


def verify(
    out: OUT,
    sample: Annotated[str, typer.Option(metavar="SHARE", help="Share of the batches, such as 1% or 0.01.")] = "1%",
    seed: Annotated[int | None, typer.Option(min=0, help="Which batches; default others every time.")] = None,
    workers: WORKERS = None,
    local: LOCAL = False,
    json: Annotated[bool, typer.Option("--json", help="As one JSON document.")] = False,
    run: RUN = None,
) -> int:
    """Play a sample of the committed chunks again and compare all numbers; exit code 1 when one differs.

    Example: razzsim verify runs/quickstart.duckdb --sample 5%
    """
    share = _share(sample)
    from razzsim.cli.output import as_json, deals_progress
    from razzsim.runner.replay import StoredRun
    from razzsim.runner.session import Options
    from razzsim.runner.verify import verify as verify_run

    stored = StoredRun.read(out, run)
    with deals_progress() as watch:
        chosen = secrets.randbelow(1 << 32) if seed is None else seed
        told = verify_run(stored, share, chosen, Options(workers, local), watch)
    if json:
        sys.stdout.write(as_json({"out": str(out), "run_id": stored.plan.run_id, **asdict(told)}) + "\n")
    else:
        _print(out, told)
    return 1 if told.difference else 0


def _share(text: str) -> float:
    number = re.fullmatch(r"(\d+\.?\d*|\.\d+)(%?)", text)
    share = float(number[1]) / (100 if number[2] else 1) if number else 0.0
    if not 0 < share <= 1:
        raise typer.BadParameter(
            f"{text} is not allowed: a share above 0, at most 1, such as 1% or 0.01", param_hint="--sample"
        )
    return share


def _print(out: Path, told: "Verified") -> None:
    played = f"{told.n_batches:,} of {told.of_batches:,} batches, {told.n_chunks:,} chunks, {told.n_hands:,} hands"
    ending = "all equal" if told.difference is None else _words(told.difference)
    print(f"{out}: played again {played} (--seed {told.seed}): {ending}")
    if told.n_without_digest:
        print(f"{told.n_without_digest:,} chunks have no digest, from before schema version 3: only sums were compared")


def _words(told: "Difference") -> str:
    of = "".join(f" {name} {value}" for name, value in told.of.items())
    who = f"played by {', '.join(told.workers)}" if told.workers else "played by nobody"
    was, again = ("missing" if value is None else str(value) for value in (told.stored, told.played))
    return (
        f"line-up {told.line_up}, deals {told.first} to {told.last}, {who}: {told.table}.{told.column}{of} is {was}, "
        f"played again {again}"
    )
