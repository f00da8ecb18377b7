"""What a plan will take, from a pilot: its first deals, played at every recording level."""

import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

from razzsim.plan import Chunk, ConfigError, Plan
from razzsim.records import LEVELS
from razzsim.runner.executor import Job, Played, Task
from razzsim.runner.local import LocalExecutor
from razzsim.sums import header_of

_PILOT_S = 0.4
_FIRST_GROUPS = 64
_LEAST_S = 10
"""Seconds the pilot has at least: it may play more deals at once than limits.chunk_s is meant for."""


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
    limits = {**plan.limits, "chunk_s": max(_LEAST_S, plan.limits["chunk_s"])}
    executor = LocalExecutor()
    task = Task(level, folder=str(folder) if folder and level != "sums" else None)
    executor.add(replace(plan, limits=limits), task)
    _answer(plan, executor, Chunk(0, 0, 1))  # loads strategies, Arrow and all
    start = time.process_time()
    played = _answer(plan, executor, Chunk(0, 0, n_groups))
    seconds = time.process_time() - start
    assert played.sums is not None
    sizes = {part.level: (part.n_bytes, part.n_rows) for part in played.parts}
    return seconds, header_of(played.sums)["n_hands"], sizes


def _answer(plan: Plan, executor: LocalExecutor, chunk: Chunk) -> Played:
    executor.submit(Job((chunk,)))
    while not (outcomes := executor.completed(0.25)):
        pass
    if outcomes[0].lost:
        deals = f"deals {chunk.first_group} to {chunk.first_group + chunk.n_groups - 1}"
        raise ConfigError(
            f"{plan.name}: a strategy does not answer in the pilot, {deals}: {outcomes[0].message.split(' (')[0]}"
        )
    (played,) = outcomes[0].played
    if played.failure:
        name, where = plan.entrants[played.failure.entrant].name, f"deal {played.failure.deal}"
        raise ConfigError(f"{plan.name}: strategy {name} fails in the pilot, {where}: {played.failure.message}")
    return played
