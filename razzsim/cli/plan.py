"""razzsim plan."""

import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from razzsim.plan import Plan
    from razzsim.runner.forecast import LevelCost


def plan(
    config: Annotated[Path, typer.Argument(help="The experiment, a YAML file.")],
    json: Annotated[bool, typer.Option("--json", help="As one JSON document.")] = False,
) -> None:
    """Say what an experiment will take: hands, time, and what each recording level costs, from a pilot of a second.

    Example: razzsim plan configs/quickstart.yaml
    """
    from razzsim.cli.output import as_json
    from razzsim.plan import plan_from_file
    from razzsim.runner.forecast import forecast

    made = plan_from_file(config)
    costs = forecast(made)
    if not json:
        _print(made, costs)
        return
    sizes = {"deals": made.deals, "hands": made.hands, "chunks": made.n_chunks, "line_ups": len(made.line_ups)}
    groups = {"batch_groups": made.batch_groups, "chunk_groups": made.chunk_groups}
    levels = [asdict(cost) for cost in costs]
    sys.stdout.write(
        as_json({"run_id": made.run_id, "name": made.name, **sizes, **groups, "record": made.record, "levels": levels})
        + "\n"
    )


def _print(plan: "Plan", costs: "list[LevelCost]") -> None:
    from razzsim.cli.output import print_table, seconds_text

    level, sample = plan.record["level"], plan.record["sample"]
    asked = next(cost for cost in costs if cost.level == level)
    core_s = plan.hands * asked.ns_hand / 1e9
    cores = len(os.sched_getaffinity(0))
    share = f" of {sample:.4g} of the deals" if sample < 1 else ""
    print(
        f"run {plan.run_id} {plan.name}: {plan.hands:,} hands on {plan.deals:,} deals, {len(plan.line_ups)} "
        f"line-up{'s'[: len(plan.line_ups) != 1]}, {plan.n_chunks:,} chunks of {plan.chunk_groups:,} deals"
    )
    print(
        f"record {level}{share}: about {seconds_text(core_s)} on one core of this machine, "
        f"{seconds_text(core_s / cores)} on its {cores}; rows take {_bytes(asked.total_bytes)}"
    )
    rows = [
        (
            ("* " if cost.level == level else "  ") + cost.level,
            f"{cost.ns_hand:,.0f}",
            f"{cost.slowdown:.2f}",
            f"{cost.row_bytes:.1f}" if cost.row_bytes else "",
            f"{cost.hand_bytes:.1f}" if cost.hand_bytes else "",
            _bytes(cost.total_bytes),
        )
        for cost in costs
    ]
    names = ("  record", "ns/hand", "times sums", "bytes/row", "bytes/hand", "whole run")
    print_table(names, rows, (False, True, True, True, True, True))


def _bytes(n: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if n < 1000:
            return f"{n:.0f} {unit}" if unit == "B" else f"{n:.1f} {unit}"
        n /= 1000
    return f"{n:.1f} TB"
