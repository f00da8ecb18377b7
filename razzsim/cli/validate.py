"""razzsim validate."""

import sys
from pathlib import Path
from typing import Annotated

import typer


def validate(config: Annotated[Path, typer.Argument(help="The experiment, a YAML file.")]) -> None:
    """Check an experiment, strategies compiled, without playing it.

    Example: razzsim validate configs/quickstart.yaml
    """
    from razzsim.plan import plan_from_file

    plan = plan_from_file(config)
    names = ", ".join(entrant.name for entrant in plan.entrants)
    sys.stdout.write(
        f"{config}: fine: run {plan.run_id}, {len(plan.line_ups)} line-up{'s'[: len(plan.line_ups) != 1]} of {names}; "
        f"{plan.hands:,} hands on {plan.deals:,} deals, {plan.n_chunks} chunks\n"
    )
