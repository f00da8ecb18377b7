"""razzsim run, razzsim resume."""

import re
import shlex
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from razzsim import events
from razzsim.cli.label import on_one_line
from razzsim.cli.log import LOG_FORMAT, LogFormat, note, set_up

if TYPE_CHECKING:
    from razzsim.plan import Shard
    from razzsim.runner.session import Run, Watch

WORKERS = Annotated[int | None, typer.Option(min=1, max=100_000, help="Ray actors; default one a CPU.")]
LOCAL = Annotated[bool, typer.Option("--local", help="Play in this process, without Ray; the numbers are the same.")]
ADDRESS = Annotated[str | None, typer.Option(help="A running Ray cluster to play on, instead of a private one.")]
JSON = Annotated[bool, typer.Option("--json", help="The answer as one JSON document.")]
PORT = Annotated[
    int | None, typer.Option(min=0, max=65535, help="Serve Prometheus metrics on this port (0: a free one).")
]
RESUME = Annotated[bool, typer.Option("--resume", help="Go on with this run if OUT holds it, unfinished.")]


def _is_url(text: str | None) -> str | None:
    if text is not None and not text.startswith(("http://", "https://")):
        raise typer.BadParameter(f"{text!r} is not allowed: http://HOST:9091", param_hint="--pushgateway")
    return text


PUSHGATEWAY = Annotated[
    str | None,
    typer.Option(metavar="URL", callback=_is_url, help="Push Prometheus metrics there every 5 s, for batch jobs."),
]
METRICS_ADDRESS = Annotated[str, typer.Option(help="Where to serve metrics.")]


def run(
    config: Annotated[Path, typer.Argument(help="The experiment, a YAML file.")],
    out: Annotated[
        str | None, typer.Option(help="The result file, or s3://BUCKET/KEY.duckdb; default runs/NAME.duckdb.")
    ] = None,
    shard: Annotated[
        str | None, typer.Option(metavar="K/N", help="Play part K of N; merge puts them together.")
    ] = None,
    workers: WORKERS = None,
    local: LOCAL = False,
    address: ADDRESS = None,
    json: JSON = False,
    metrics_port: PORT = None,
    metrics_address: METRICS_ADDRESS = "127.0.0.1",
    pushgateway: PUSHGATEWAY = None,
    label: Annotated[
        str | None, typer.Option(callback=on_one_line, help="A short name for the run; razzsim label changes it.")
    ] = None,
    resume: RESUME = False,
    expect: Annotated[
        str | None, typer.Option(metavar="RUN", help="Play only if this is the experiment's run id here.")
    ] = None,
    log_format: LOG_FORMAT = LogFormat.text,
) -> int:
    """Play an experiment and print the ranking.

    Example: razzsim run configs/quickstart.yaml --out first.duckdb
    """
    from razzsim.runner import session

    set_up(log_format)
    options = session.Options(
        workers, local, address, metrics_port, metrics_address, resume, expect, label, pushgateway
    )
    part = _shard(shard) if shard else None
    return _play(lambda watch: session.run(config, out, options, watch, part), json)


def _shard(text: str) -> "Shard":
    from razzsim.plan import Shard

    numbers = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text)
    number, of = (int(numbers[1]), int(numbers[2])) if numbers else (0, 0)
    if not 1 <= number <= of:
        raise typer.BadParameter(
            f"{text} is not allowed: K/N with 1 <= K <= N <= 999999, such as 3/16", param_hint="--shard"
        )
    return Shard(number, of)


def resume(
    out: Annotated[str, typer.Argument(help="The result: a file, or s3://BUCKET/KEY.duckdb.")],
    deals: Annotated[int | None, typer.Option(min=1, help="How many it is to have in all: more than it has.")] = None,
    workers: WORKERS = None,
    local: LOCAL = False,
    address: ADDRESS = None,
    json: JSON = False,
    metrics_port: PORT = None,
    metrics_address: METRICS_ADDRESS = "127.0.0.1",
    pushgateway: PUSHGATEWAY = None,
    log_format: LOG_FORMAT = LogFormat.text,
) -> int:
    """Go on with an unfinished run, or with any run to more deals: only the missing chunks are played.

    Example: razzsim resume runs/quickstart.duckdb --deals 3000000
    """
    from razzsim.runner import session

    set_up(log_format)
    options = session.Options(workers, local, address, metrics_port, metrics_address, pushgateway=pushgateway)
    return _play(lambda watch: session.resume(out, options, watch, deals), json)


def _play(play: "Callable[[Watch], Run]", json: bool) -> int:
    from razzsim.cli.output import run_progress
    from razzsim.runner.session import Watch

    with run_progress() as (say, show):
        ended = play(Watch(say, show))
    _tell_end(ended)
    _print_answer(ended, json)
    if ended.status == "complete":
        return 0
    note(f"{ended.status}: {ended.stop_reason}; what was played is kept")
    if ended.stop_reason.startswith("strategy ") or ended.stop_reason.endswith("failing strategies"):
        note("repair the strategy and run again with another --out (resume would play its text as it was)")
    else:
        note(f"go on with: razzsim resume {shlex.quote(ended.out)}")
    if ended.signal_number is not None:
        return 143 if ended.signal_number == signal.SIGTERM else 130
    return 3


def _tell_end(ended: "Run") -> None:
    """The last event of a run, by which others judge it."""
    facts: dict[str, Any] = {"status": ended.status, "stop_reason": ended.stop_reason, "out": ended.out}
    facts |= ended.counts
    events.tell("ended", f"{ended.status}: {ended.stop_reason}", **facts)


def _print_answer(ended: "Run", json: bool) -> None:
    from razzsim.cli.output import as_json
    from razzsim.cli.standings import print_standings

    standings = ended.standings().to_pylist()
    total = ended.counts
    seconds = ended.row["wall_s"]
    rate = total["hands"] / seconds if seconds else 0.0
    if json:
        answer = {
            "run_id": ended.run_id,
            "name": ended.row["name"],
            "out": ended.out,
            "status": ended.status,
            "stop_reason": ended.stop_reason,
            "hands": total["hands"],
            "groups": total["groups"],
            "seconds": seconds,
            "hands_per_s": rate,
            "workers": ended.workers,
            "standings": standings,
        }
        if ended.shard:
            answer |= {"shard": ended.shard.number, "n_shards": ended.shard.of}
        sys.stdout.write(as_json(answer) + "\n")
        return
    if ended.shard:
        print(f"{ended.shard}: {total['hands']:,} hands in {seconds:.1f} s; run {ended.run_id}")
        print("when all are there: razzsim merge OUT.duckdb SHARD...")
        return
    if not total["hands"]:
        return
    if standings:
        print_standings(standings, ended.head_to_head().to_pylist(), ended.row["schedule"])
    count = "SELECT max(n)::BIGINT AS deals FROM (SELECT sum(n_groups) AS n FROM chunks GROUP BY line_up)"
    deals = ended.sql(count).to_pylist()[0]["deals"]
    played = f"{total['hands']:,} hands on {deals:,} deals in {seconds:.1f} s"
    print(f"{played}; run {ended.run_id}")
    print("ask: razzsim query", shlex.quote(ended.out), '"SELECT * FROM head_to_head"')
