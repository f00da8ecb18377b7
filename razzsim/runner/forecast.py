"""What a plan will take, from a pilot: its first deals, played at every recording level."""

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from razzsim.plan import Chunk, ConfigError, Plan
from razzsim.records import LEVELS
from razzsim.runner.executor import Task
from razzsim.runner.jobs import Workbench, load_compiled
from razzsim.sums import header_of

_PILOT_S = 0.4
_FIRST_GROUPS = 64


@dataclass(frozen=True)
class LevelCost:
    """What a recording level costs, of the experiment's sample.

    ns_hand: nanoseconds of CPU a hand; slowdown: times what `sums` takes; row_bytes: bytes of Parquet by recorded row
    of this level; hand_bytes: bytes of all its levels by hand of the run; total_bytes: of the whole run.
    """

    level: str
    ns_hand: float
    slowdown: float
    row_bytes: float
    hand_bytes: float
    total_bytes: float


def forecast(plan: Plan) -> list[LevelCost]:
    """Costs by recording level, on one core of this machine. Raises ConfigError when a strategy fails in the pilot."""
    load_compiled(plan)
    sample = float(plan.record["sample"])
    costs: list[LevelCost] = []
    n_groups = _pilot_size(plan)
    for level in LEVELS:
        with tempfile.TemporaryDirectory() as folder:
            seconds, hands, sizes = _played(plan, level, n_groups, Path(folder))
        recorded = sum(size for size, _ in sizes.values()) / hands
        ns = seconds / hands * 1e9
        base = costs[0].ns_hand if costs else ns
        ns = base + sample * max(0.0, ns - base)
        size, rows = sizes.get(level, (0, 1))
        costs.append(LevelCost(level, ns, ns / base, size / rows, sample * recorded, sample * recorded * plan.hands))
    return costs


def _pilot_size(plan: Plan) -> int:
    """Deals that take about _PILOT_S, at most those of the plan."""
    groups = min(_FIRST_GROUPS, plan.deals)
    while True:
        seconds, _, _ = _played(plan, "sums", groups, None)
        if seconds >= _PILOT_S / 4 or groups == plan.deals:
            return min(plan.deals, max(1, int(groups * _PILOT_S / max(seconds, 1e-6))))
        groups = min(plan.deals, 4 * groups)


def _played(
    plan: Plan, level: str, n_groups: int, folder: Path | None
) -> tuple[float, int, dict[str, tuple[int, int]]]:
    """Seconds of CPU, hands, and by level bytes and rows of the plan's first line-up."""
    bench = Workbench(plan, Task(level, folder=str(folder) if folder and level != "sums" else None))
    bench.play(Chunk(0, 0, 1))  # loads strategies, Arrow and all
    start = time.process_time()
    played = bench.play(Chunk(0, 0, n_groups))
    seconds = time.process_time() - start
    if played.failure:
        name, where = plan.entrants[played.failure.entrant].name, f"deal {played.failure.deal}"
        raise ConfigError(f"{plan.name}: strategy {name} fails in the pilot, {where}: {played.failure.message}")
    assert played.sums is not None
    return (
        seconds,
        header_of(played.sums)["n_hands"],
        {part.level: (part.n_bytes, part.n_rows) for part in played.parts},
    )
