"""What recording costs: rows of deals, hands and decisions to Parquet, beside the same play without them."""

import tempfile
from itertools import pairwise
from pathlib import Path

import yaml

from razzsim.plan import Chunk, Plan, plan_from_file
from razzsim.records import LEVELS
from razzsim.runner.executor import Played, Task
from razzsim.runner.jobs import Workbench
from razzsim.sums import header_of
from tests.bench.harness import ROOT, Result, cpu_seconds, result
from tests.bench.tables import EXAMPLES, LIMITS


def recording(quick: bool) -> list[Result]:
    """Rows a second of CPU beyond what the level below takes, bytes a row, and how much slower a level makes a run.

    The levels take turns, so that what disturbs the machine disturbs all of them.
    """
    hands, rounds = (200_000, 3) if quick else (1_000_000, 5)
    results = []
    for n_seats in (6, 8):
        with tempfile.TemporaryDirectory() as folder:
            results += _of_table(_plan(Path(folder), n_seats, hands // n_seats), Path(folder), rounds)
    return results


def _plan(folder: Path, n_seats: int, deals: int) -> Plan:
    """The example strategies around a table."""
    strategies = [str(ROOT / "strategies" / f"{EXAMPLES[k % len(EXAMPLES)]}.py") for k in range(n_seats)]
    entrants = [{"strategy": path, "count": strategies.count(path)} for path in dict.fromkeys(strategies)]
    names = ("ante", "bring_in", "small_bet", "big_bet")
    table = {"seats": n_seats, **dict(zip(names, LIMITS, strict=True)), "stacks": "deep"}
    config = {"name": "recording", "seed": 1, "table": table, "entrants": entrants, "schedule": "table", "deals": deals}
    path = folder / "recording.yaml"
    path.write_text(yaml.safe_dump(config))
    return plan_from_file(path)


def _of_table(plan: Plan, folder: Path, rounds: int) -> list[Result]:
    chunk, n_seats = Chunk(0, 0, plan.deals), len(plan.line_ups[0].entrants)
    benches = {level: Workbench(plan, Task(level, folder=_folder(folder, level))) for level in LEVELS}
    takes: dict[str, list[float]] = {level: [] for level in LEVELS}
    rows: dict[str, tuple[int, int]] = {}
    for bench in benches.values():
        _play(bench, Chunk(0, 0, 64))
    for _ in range(rounds):
        for level, bench in benches.items():
            played: list[Played] = []
            takes[level].append(cpu_seconds(lambda bench=bench, played=played: played.append(bench.play(chunk))))
            rows |= _cleared(played[0])
    header = played[0].sums
    assert header is not None and header_of(header)["n_hands"] == rows["hands"][0]
    results = []
    for below, level in pairwise(LEVELS[1:]):
        n, size = rows[level]
        rates = [n / (more - less) for more, less in zip(takes[level], takes[below], strict=True)]
        results += [
            result("recording", f"{level}, {n_seats} seats", rates, "rows/s"),
            result("recording", f"{level}, {n_seats} seats", [size / n], "bytes/row"),
        ]
    for level in LEVELS[1:]:
        ratios = [slow / fast for slow, fast in zip(takes[level], takes["sums"], strict=True)]
        results.append(result("recording", f"a run at level {level}, {n_seats} seats", ratios, "times"))
    return results


def _folder(folder: Path, level: str) -> str | None:
    return None if level == "sums" else str(folder / level)


def _play(bench: Workbench, chunk: Chunk) -> None:
    _cleared(bench.play(chunk))


def _cleared(played: Played) -> dict[str, tuple[int, int]]:
    """Rows and bytes by level, and the files are gone."""
    for part in played.parts:
        Path(part.path).unlink()
    return {part.level: (part.n_rows, part.n_bytes) for part in played.parts}
