"""Whole runs: Ray against plain processes, memory of the driver, cold and warm start."""

import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.bench.harness import ROOT, Result, result

CONFIG = ROOT / "configs" / "quickstart.yaml"


def _config(folder: str, deals: int) -> Path:
    """The quickstart experiment with another number of deals."""
    text = CONFIG.read_text().replace("../strategies", str(ROOT / "strategies"))
    path = Path(folder) / f"bench-{deals}.yaml"
    path.write_text(text.replace("deals: 1700000", f"deals: {deals}"))
    assert path.read_text() != CONFIG.read_text()
    return path


def ray(quick: bool) -> list[Result]:
    """Rate of a run with two Ray workers over that of two plain processes with the same chunks, interleaved."""
    deals, rounds = (400_000, 1) if quick else (1_000_000, 4)
    runs, plains, ratios = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        config = _config(folder, deals)
        for round_ in range(rounds):
            plains.append(_plain_rate(str(config)))
            runs.append(_run_rate(config, Path(folder) / f"{round_}.duckdb"))
            ratios.append(runs[-1] / plains[-1])
    return [
        result("ray", "two plain processes", plains, "hands/s"),
        result("ray", "razzsim run, two Ray workers, first to last commit", runs, "hands/s"),
        result("ray", "ratio", ratios, "times"),
    ]


_RUN = """
import json, resource, sys, time
from razzsim.runner import session
seen = []
watch = session.Watch(progress=lambda p: seen.append((time.monotonic(), p.hands)))
session.run(sys.argv[1], sys.argv[2], session.Options(workers=2), watch)
moving = [s for s in seen if s[1] > 0]
status = open("/proc/self/status").read()
peak = int(status.split("VmHWM:")[1].split()[0]) / 1024
rate = (moving[-1][1] - moving[0][1]) / (moving[-1][0] - moving[0][0])
print(json.dumps({"rate": rate, "peak_mib": peak}))
"""


def _run(config: Path, out: Path) -> dict[str, Any]:
    told = subprocess.run(
        [sys.executable, "-c", _RUN, str(config), str(out)], capture_output=True, text=True, check=True
    )
    return json.loads(told.stdout.splitlines()[-1])


def _run_rate(config: Path, out: Path) -> float:
    return float(_run(config, out)["rate"])


def _plain_rate(config: str) -> float:
    context = multiprocessing.get_context("spawn")
    ready, answers = context.Barrier(3), context.Queue()
    workers = [context.Process(target=_play_half, args=(config, half, ready, answers)) for half in (0, 1)]
    for worker in workers:
        worker.start()
    ready.wait()
    start = time.monotonic()
    hands = sum(answers.get() for _ in workers)
    seconds = time.monotonic() - start
    for worker in workers:
        worker.join()
    return hands / seconds


def _play_half(config: str, half: int, ready: Any, answers: Any) -> None:
    from razzsim.plan import plan_from_file
    from razzsim.runner.jobs import Workbench

    plan = plan_from_file(config)
    bench, chunks = Workbench(plan), list(plan.chunks())
    bench.play(chunks[0])
    ready.wait()
    answers.put(sum(int(bench.play(chunk).sums[4]) for chunk in chunks[half::2]))


def memory(quick: bool) -> list[Result]:
    """Peak resident memory of the driver for short and long runs: it must not grow with the number of hands."""
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for hands in (1_000_000, 5_000_000) if quick else (1_000_000, 50_000_000):
            told = _run(_config(folder, hands // 6), Path(folder) / f"{hands}.duckdb")
            results.append(result("memory", f"driver, {hands:,} hands", [told["peak_mib"]], "MiB"))
    return results


def start(quick: bool) -> list[Result]:
    """README's first command after installation, whole process: with an empty cache, and again."""
    with tempfile.TemporaryDirectory() as folder:
        config = _config(folder, 20_000 if quick else 1_700_000)
        environment = {**os.environ, "RAZZSIM_CACHE": str(Path(folder) / "cache")}
        cold, told = _command(config, Path(folder) / "cold.duckdb", environment)
        warm, _ = _command(config, Path(folder) / "warm.duckdb", environment)
    compiling = next((float(line.split()[2]) for line in told.splitlines() if line.startswith("compiled in")), 0.0)
    what = "quickstart, 20,000 deals" if quick else "quickstart"
    return [
        result("start", f"{what}, cold cache", [cold], "s"),
        result("start", "of which compiling", [compiling], "s"),
        result("start", f"{what}, warm cache", [warm], "s"),
    ]


def _command(config: Path, out: Path, environment: dict[str, str]) -> tuple[float, str]:
    command = [str(Path(sys.executable).with_name("razzsim")), "run", str(config), "--out", str(out)]
    begin = time.monotonic()
    told = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return time.monotonic() - begin, told.stderr
