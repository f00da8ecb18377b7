"""razzsim run, razzsim resume."""

import shlex
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from razzsim.cli.label import on_one_line

if TYPE_CHECKING:
    from razzsim.runner.session import Run, Watch

WORKERS = Annotated[int | None, typer.Option(min=1, max=100_000, help="Ray actors; default one a CPU.")]
LOCAL = Annotated[bool, typer.Option("--local", help="Play in this process, without Ray; the numbers are the same.")]
ADDRESS = Annotated[str | None, typer.Option(help="A running Ray cluster to play on, instead of a private one.")]
JSON = Annotated[bool, typer.Option("--json", help="The answer as one JSON document.")]
PORT = Annotated[
    int | None, typer.Option(min=0, max=65535, help="Serve Prometheus metrics on this port (0: a free one).")
]
METRICS_ADDRESS = Annotated[str, typer.Option(help="Where to serve metrics.")]


def run(
    config: Annotated[Path, typer.Argument(help="The experiment, a YAML file.")],
    out: Annotated[Path | None, typer.Option(help="The result file; default runs/NAME.duckdb.")] = None,
    workers: WORKERS = None,
    local: LOCAL = False,
    address: ADDRESS = None,
    json: JSON = False,
    metrics_port: PORT = None,
    metrics_address: METRICS_ADDRESS = "127.0.0.1",
    label: Annotated[
        str | None, typer.Option(callback=on_one_line, help="A short name for the run; razzsim label changes it.")
    ] = None,
) -> int:
    """Play an experiment and print the ranking.

    Example: razzsim run configs/quickstart.yaml --out first.duckdb
    """
    from razzsim.runner import session

    options = session.Options(workers, local, address, metrics_port, metrics_address, label)
    return _play(lambda watch: session.run(config, out, options, watch), json)


def resume(
    out: Annotated[Path, typer.Argument(help="The unfinished result file.")],
    workers: WORKERS = None,
    local: LOCAL = False,
    address: ADDRESS = None,
    json: JSON = False,
    metrics_port: PORT = None,
    metrics_address: METRICS_ADDRESS = "127.0.0.1",
) -> int:
    """Go on with an unfinished run: only the missing chunks are played.

    Example: razzsim resume runs/quickstart.duckdb
    """
    from razzsim.runner import session

    options = session.Options(workers, local, address, metrics_port, metrics_address)
    return _play(lambda watch: session.resume(out, options, watch), json)


def _play(play: "Callable[[Watch], Run]", json: bool) -> int:
    from razzsim.cli.output import note, run_progress
    from razzsim.runner.session import Watch

    with run_progress() as (say, show):
        ended = play(Watch(say, show))
    _print_answer(ended, json)
    if ended.status == "complete":
        return 0
    note(f"{ended.status}: {ended.stop_reason}; what was played is kept")
    if ended.stop_reason.startswith("strategy ") or ended.stop_reason.endswith("failing strategies"):
        note("repair the strategy and run again with another --out (resume would play its text as it was)")
    else:
        note(f"go on with: razzsim resume {shlex.quote(str(ended.path))}")
    if ended.signal_number is not None:
        return 143 if ended.signal_number == signal.SIGTERM else 130
    return 3


def _print_answer(ended: "Run", json: bool) -> None:
    from razzsim.cli.output import as_json
    from razzsim.cli.standings import print_standings

    standings = ended.standings().to_pylist()
    counts = (
        "SELECT coalesce(sum(n_hands), 0)::BIGINT AS hands, coalesce(sum(n_groups), 0)::BIGINT AS groups FROM chunks"
    )
    total = ended.sql(counts).to_pylist()[0]
    seconds = ended.row["wall_s"]
    rate = total["hands"] / seconds if seconds else 0.0
    if json:
        answer = {
            "run_id": ended.run_id,
            "name": ended.row["name"],
            "out": str(ended.path),
            "status": ended.status,
            "stop_reason": ended.stop_reason,
            **total,
            "seconds": seconds,
            "hands_per_s": rate,
            "workers": ended.workers,
            "standings": standings,
        }
        sys.stdout.write(as_json(answer) + "\n")
        return
    if not total["hands"]:
        return
    if standings:
        print_standings(standings, ended.head_to_head().to_pylist(), ended.row["schedule"])
    count = "SELECT max(n)::BIGINT AS deals FROM (SELECT sum(n_groups) AS n FROM chunks GROUP BY line_up)"
    deals = ended.sql(count).to_pylist()[0]["deals"]
    played = f"{total['hands']:,} hands on {deals:,} deals in {seconds:.1f} s"
    print(f"{played}; run {ended.run_id}")
    print("ask: razzsim query", shlex.quote(str(ended.path)), '"SELECT * FROM head_to_head"')
