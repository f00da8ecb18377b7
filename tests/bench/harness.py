"""How figures are taken and told."""

import json
import os
import platform
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Result:
    """One figure: the median of n takes, and how far they spread, (max - min) / median."""

    bench: str
    name: str
    value: float
    unit: str
    n: int
    spread: float


def result(bench: str, name: str, takes: Sequence[float], unit: str) -> Result:
    """The figure of some takes."""
    middle = statistics.median(takes)
    spread = (max(takes) - min(takes)) / middle if middle else 0.0
    return Result(bench, name, middle, unit, len(takes), spread)


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU seconds of this process for one call: others on the machine disturb it less than wall time."""
    start = time.process_time()
    work()
    return time.process_time() - start


def document(results: Sequence[Result]) -> dict[str, Any]:
    """Everything that is needed to read the figures later."""
    commit = _commit()
    return {
        "machine": {"cpu": _cpu_name(), "cores": os.cpu_count(), "system": platform.platform()},
        "versions": {
            "python": platform.python_version(),
            **{name: metadata.version(name) for name in ("razzsim", "numba", "numpy", "ray", "duckdb", "pokerkit")},
        },
        "results": [{**asdict(r), "commit": commit} for r in results],
    }


def _cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.partition(": ")[2] for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def _commit() -> str:
    told = subprocess.run(
        ["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return told.stdout.strip() or "unknown"


def plain(results: Sequence[Result]) -> str:
    """The figures as aligned lines."""
    lines = [
        f"{r.bench:9} {r.name:58} {_figure(r.value):>14} {r.unit:10} n={r.n} spread {r.spread:.0%}" for r in results
    ]
    return "\n".join(lines)


def write_docs(told: dict[str, Any], benches: Sequence[str]) -> None:
    """Keep a document as docs/performance.json, and as the table of docs/performance.md, in the order of `benches`.

    Rows of benches that did not run now stay; each names the commit it was taken at.
    """
    file = ROOT / "docs" / "performance.json"
    anew = {row["bench"] for row in told["results"]}
    kept = [row for row in json.loads(file.read_text())["results"] if row["bench"] in set(benches) - anew]
    told["results"] = sorted(kept + told["results"], key=lambda row: benches.index(row["bench"]))
    file.write_text(json.dumps(told, indent=1) + "\n")
    commits = ", ".join(dict.fromkeys(row["commit"] for row in told["results"]))
    machine, versions = told["machine"], ", ".join(f"{name} {v}" for name, v in told["versions"].items())
    lines = [
        "# Performance",
        "",
        "Written by `python -m tests.bench --write`, never by hand. Medians of n takes of CPU or wall time",
        f"on a shared machine ({machine['cpu']}, {machine['cores']} cores; {versions}; commit {commits}):",
        "compare ratios, not figures. Spread is (max - min) / median.",
        "",
        "| bench | what | median | unit | n | spread |",
        "|---|---|--:|---|--:|--:|",
        *(
            f"| {r['bench']} | {r['name']} | {_figure(r['value'])} | {r['unit']} | {r['n']} | {r['spread']:.0%} |"
            for r in told["results"]
        ),
    ]
    file.with_suffix(".md").write_text("\n".join(lines) + "\n")


def _figure(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
