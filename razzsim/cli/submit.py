"""razzsim submit."""

import json as json_library
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from razzsim import events
from razzsim.cli.log import LOG_FORMAT, LogFormat, error, note, set_up
from razzsim.cli.run import METRICS_ADDRESS, PORT, PUSHGATEWAY, RESUME, WORKERS

if TYPE_CHECKING:
    from razzsim.plan import Plan
    from razzsim.runner.submit import JobEnd, Jobs

_UNFINISHED, _NO_PROGRAM = 3, 127


def submit(
    config: Annotated[Path, typer.Argument(help="The experiment, a YAML file.")],
    address: Annotated[str, typer.Option(metavar="URL", help="The cluster's dashboard, as http://HOST:8265.")],
    out: Annotated[str, typer.Option(help="The result as the cluster sees it: an absolute path, or s3://...")],
    workers: WORKERS = None,
    resume: RESUME = False,
    detach: Annotated[bool, typer.Option("--detach", help="Return when the job is sent.")] = False,
    json: Annotated[bool, typer.Option("--json", help="The answer as one JSON document.")] = False,
    metrics_port: PORT = None,
    metrics_address: METRICS_ADDRESS = "127.0.0.1",
    pushgateway: PUSHGATEWAY = None,
    log_format: LOG_FORMAT = LogFormat.text,
) -> int:
    """Play an experiment on a Ray cluster, as a job of it: it goes on when this computer is shut.

    Example: razzsim submit configs/quickstart.yaml --address http://head:8265 --out /shared/quickstart.duckdb
    """
    _check(address, out)
    from razzsim.plan import plan_from_file
    from razzsim.runner.session import Options
    from razzsim.runner.submit import Jobs

    set_up(log_format)
    plan = plan_from_file(config)
    events.about(plan.run_id)
    jobs = Jobs(address)
    options = Options(
        workers, metrics_port=metrics_port, metrics_address=metrics_address, resume=resume, pushgateway=pushgateway
    )
    job = jobs.submit(config, plan, out, options)
    answer = {"job_id": job, "run_id": plan.run_id, "name": plan.name, "address": address, "out": out}
    if detach:
        _give(answer, json)
        _say_what_can_be_done(jobs, job)
        return 0
    note(f"job {job} plays run {plan.run_id} on {address}")
    return _follow(jobs, job, plan, answer, json)


def _check(address: str, out: str) -> None:
    if not address.startswith(("http://", "https://")):
        raise typer.BadParameter(f"{address!r} is not allowed: http://HOST:8265", param_hint="--address")
    if not out.startswith("s3://") and not Path(out).is_absolute():
        reason = "an absolute path or s3://..., for a job's folder on the cluster is gone when it ends"
        raise typer.BadParameter(f"{out!r} is not allowed: {reason}", param_hint="--out")


def _follow(jobs: "Jobs", job: str, plan: "Plan", answer: dict[str, Any], json: bool) -> int:
    import asyncio

    from razzsim.runner.submit import JobEnd, committed, verdict

    try:
        told = asyncio.run(_show_log(jobs, job))
        end = jobs.end(job) or JobEnd("RUNNING", None, "it goes on out of sight")
    except KeyboardInterrupt:
        note(f"job {job} goes on")
        _say_what_can_be_done(jobs, job)
        return 130
    if found := committed(answer["out"], plan.run_id):
        told = vars(found)
    code = verdict(end, told.get("groups"), plan.n_groups)
    facts = {name: told.get(name) for name in ("status", "stop_reason", "chunks", "groups", "hands")}
    _give({**answer, "job_status": end.status, "exit_code": end.exit_code, **facts}, json)
    if code:
        _say_why(end, plan, told.get("groups"), code)
    return code


async def _show_log(jobs: "Jobs", job: str) -> dict[str, Any]:
    """Show the job's log on stderr until it has ended; returns what the run said of its end."""
    ended: dict[str, Any] = {}
    async for line in jobs.lines(job):
        event = _event(line)
        if event.get("event") == "ended":
            ended = event
        _show(line, event)
    return ended


def _event(line: str) -> dict[str, Any]:
    """The event in a line of the log; empty for any other line."""
    try:
        event = json_library.loads(line)
    except ValueError:
        return {}
    return event if isinstance(event, dict) and "event" in event else {}


def _show(line: str, event: dict[str, Any]) -> None:
    from razzsim.cli.log import is_json

    if event and is_json():
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()
    elif event.get("event") not in {"commit", "ended"}:  # people read of progress
        note(str(event.get("message", line)))


def _say_why(end: "JobEnd", plan: "Plan", groups: int | None, code: int) -> None:
    done = "nobody knows how many" if groups is None else f"{groups:,}"
    why = f"exit code {end.exit_code}" if end.exit_code else " ".join(end.message.split())[:300]
    if end.exit_code == _NO_PROGRAM:
        why = "there is no razzsim on the PATH of the head's `ray start`"
    error(f"job {end.status.lower()}, {done} of {plan.n_groups:,} deals committed{f': {why}' if why else ''}")
    if code == _UNFINISHED:
        note("what was played is kept; go on with the same command and --resume")


def _say_what_can_be_done(jobs: "Jobs", job: str) -> None:
    for what, words in (("follow", "logs --follow"), ("status", "status"), ("stop", "stop")):
        note(f"{what}: ray job {words} --address {jobs.address} {job}")


def _give(answer: dict[str, Any], json: bool) -> None:
    from razzsim.cli.output import as_json

    if json:
        print(as_json(answer))
        return
    said = [f"{name} {value}" for name, value in answer.items() if value not in (None, "")]
    print(", ".join(said))
