"""What a plan will take, from a pilot: its first deals, played at every recording level."""

import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from razzsim.plan import Chunk, ConfigError, Plan
from razzsim.records import LEVELS
from razzsim.runner.executor import Job, Played, Task
from razzsim.runner.local import LocalExecutor
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
    """Costs by recording level, on one core of this machine. Raises ConfigError when a strategy fails in the pilot,
    or does not answer.
    """
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
    executor = LocalExecutor(plan, Task(level, folder=str(folder) if folder and level != "sums" else None))
    _answer(plan, executor, Chunk(0, 0, 1))  # loads strategies, Arrow and all
    start, hands, n_bytes, n_rows = time.process_time(), 0, Counter[str](), Counter[str]()
    for first in range(0, n_groups, plan.chunk_groups):  # limits.chunk_s is meant for so many deals
        played = _answer(plan, executor, Chunk(0, first, min(plan.chunk_groups, n_groups - first)))
        assert played.sums is not None
        hands += header_of(played.sums)["n_hands"]
        for part in played.parts:
            n_bytes[part.level] += part.n_bytes
            n_rows[part.level] += part.n_rows
    return time.process_time() - start, hands, {level: (n_bytes[level], n_rows[level]) for level in n_rows}


def _answer(plan: Plan, executor: LocalExecutor, chunk: Chunk) -> Played:
    executor.submit(Job((chunk,)))
    while not (outcomes := executor.completed(0.25)):
        pass
    if outcomes[0].lost:
        deals = f"deals {chunk.first_group} to {chunk.first_group + chunk.n_groups - 1}"
        raise ConfigError(f"{plan.name}: a strategy does not answer in the pilot, {deals}: {outcomes[0].message}")
    (played,) = outcomes[0].played
    if played.failure:
        name, where = plan.entrants[played.failure.entrant].name, f"deal {played.failure.deal}"
        raise ConfigError(f"{plan.name}: strategy {name} fails in the pilot, {where}: {played.failure.message}")
    return played
