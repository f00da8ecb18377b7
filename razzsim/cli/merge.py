"""razzsim merge."""

import shlex
from pathlib import Path
from typing import Annotated

import typer


def merge(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The new result file.")],
    shards: Annotated[list[Path], typer.Argument(metavar="SHARD...", help="Files of one run, in any order.")],
) -> int:
    """Put shards of a run together: the numbers are those of the run played in one piece. The shards stay as they are.

    Example: razzsim merge runs/quickstart.duckdb runs/quickstart.*-of-16.duckdb
    """
    from razzsim.cli.log import note
    from razzsim.runner.merging import merge as merge_all

    ended = merge_all(out, shards, note)
    print(f"{out}: run {ended.run_id}, {ended.counts['hands']:,} hands of {len(shards)} files")
    if ended.status == "complete":
        return 0
    note(f"{ended.status}: {ended.stop_reason}; go on with: razzsim resume {shlex.quote(str(out))}")
    return 3
