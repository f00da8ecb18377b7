"""Whole runs: Ray against plain processes, cost and memory by length and entrants, cold and warm start."""

import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from razzsim.store import Reader
from tests.bench.harness import ROOT, Result, result

CONFIG = ROOT / "configs" / "quickstart.yaml"


def config_of(folder: str, deals: int) -> Path:
    """The quickstart experiment with another number of deals."""
    text = CONFIG.read_text().replace("../strategies", str(ROOT / "strategies"))
    path = Path(folder) / f"bench-{deals}.yaml"
    path.write_text(text.replace("deals: 1700000", f"deals: {deals}"))
    assert path.read_text() != CONFIG.read_text()
    return path


def ray(quick: bool) -> list[Result]:
    """Runs with Ray workers, and as many plain processes with the same chunks, interleaved.

    Also of these runs: from the command to the first commit; the driver's CPU from the first to the last commit; its
    memory, which the long bench has for two lengths, as it must not grow with the number of hands.
    """
    deals, rounds = (400_000, 1) if quick else (2_000_000, 4)
    results = []
    with tempfile.TemporaryDirectory() as folder:
        config = config_of(folder, deals)
        for n in (2,) if quick else (1, 2):
            plains, runs = [], []
            for round_ in range(rounds):
                plains.append(_plain_rate(str(config), n))
                runs.append(_run(config, Path(folder) / f"{n}-{round_}.duckdb", workers=n))
            rates = [run["rate"] for run in runs]
            results += [
                result("ray", f"plain processes: {n}", plains, "hands/s"),
                result("ray", f"razzsim run, Ray workers: {n}, first to last commit", rates, "hands/s"),
                result("ray", f"ratio, {n}", [ours / bare for ours, bare in zip(rates, plains, strict=True)], "times"),
                result("ray", f"to the first commit, Ray workers: {n}", [run["first_commit_s"] for run in runs], "s"),
                result("ray", f"driver, {6 * deals:,} hands", [run["peak_mib"] for run in runs], "MiB"),
                result("ray", f"driver's CPU, of that of {n} workers", [run["driver_percent"] for run in runs], "%"),
            ]
        if not quick:
            longest = _run(config_of(folder, 50_000_000 // 6), Path(folder) / "longest.duckdb", workers=2)
            results += [
                result("ray", "driver, 50,000,000 hands", [longest["peak_mib"]], "MiB"),
                result("ray", "driver's CPU, of that of 2 workers, after ten seconds", [longest["later_percent"]], "%"),
            ]
    return results


_RUN = """
import json, sys, time
from razzsim.runner import session
begin, seen = float(sys.argv[4]), []
watch = session.Watch(progress=lambda p: seen.append((time.time(), p.hands, time.process_time())))
workers = int(sys.argv[3])
ran = session.run(sys.argv[1], sys.argv[2], session.Options(workers=workers or None, local=not workers), watch)
moving = [s for s in seen if s[1] > 0]
status = open("/proc/self/status").read()
took = moving[-1][0] - moving[0][0]
def driver_percent(some):  # of the workers' CPU, between the first and the last of these
    share = (some[-1][1] - some[0][1]) / some[-1][1] if len(some) > 1 else 0
    return 100 * (some[-1][2] - some[0][2]) / (share * ran.row["cpu_s"]) if share else None
print(json.dumps({
    "rate": (moving[-1][1] - moving[0][1]) / took if took else 0.0,
    "peak_mib": int(status.split("VmHWM:")[1].split()[0]) / 1024,
    "first_commit_s": moving[0][0] - begin,
    "cpu_s": time.process_time(),
    "driver_percent": driver_percent(moving),
    "later_percent": driver_percent([s for s in moving if s[0] > moving[0][0] + 10]),  # commits are seldom by then
}))
"""


def _run(config: Path, out: Path, workers: int) -> dict[str, Any]:
    """A run in a process of its own; workers: Ray actors, 0 = without Ray."""
    command = [sys.executable, "-c", _RUN, str(config), str(out), str(workers), str(time.time())]
    told = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(told.stdout.splitlines()[-1])


def _plain_rate(config: str, n: int) -> float:
    context = multiprocessing.get_context("spawn")
    ready, answers = context.Barrier(n + 1), context.Queue()
    workers = [context.Process(target=_play_part, args=(config, k, n, ready, answers)) for k in range(n)]
    for worker in workers:
        worker.start()
    ready.wait()
    start = time.monotonic()
    hands = sum(answers.get() for _ in workers)
    seconds = time.monotonic() - start
    for worker in workers:
        worker.join()
    return hands / seconds


def _play_part(config: str, k: int, n: int, ready: Any, answers: Any) -> None:
    from razzsim.plan import plan_from_file
    from razzsim.runner.jobs import Workbench
    from razzsim.sums import header_of

    plan = plan_from_file(config)
    bench, chunks = Workbench(plan), list(plan.chunks())
    bench.play(chunks[0])
    ready.wait()
    answers.put(sum(header_of(bench.play(chunk).sums)["n_hands"] for chunk in chunks[k::n]))


_FIELD = """
name: field
seed: 1
table: {{seats: 2, ante: 3, bring_in: 5, small_bet: 20, big_bet: 40, stacks: deep}}
entrants:
  - strategy: tight
    params: {{open_max: {open}, reraise_max: {reraise}, made_max: {made}}}
schedule: round_robin
deals: {deals}
batch_groups: 256
"""


_SWEEPS = {2: (2, 1, 1), 20: (5, 4, 1), 200: (8, 5, 5)}
"""Number of entrants -> how many values each of three parameters takes."""


def scaling(quick: bool) -> list[Result]:
    """Whole runs without Ray, by length and by number of entrants: as many hands in all, and more hands a line-up.

    ns/hand: of the workers, by the chunks' own clocks; s CPU: of the whole process with its start and its writing.
    """
    lengths, fields = (500_000, 1_500_000), ((2, 2_000_000), (200, 2_000_000))
    if not quick:
        lengths = (1_000_000, 10_000_000, 100_000_000)
        fields = ((2, 10_000_000), (20, 1_900_000), (20, 10_000_000), (200, 1_990_000), (200, 19_900_000))
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for hands in lengths:
            results += _scaled(folder, config_of(folder, hands // 6), hands, f"{hands:,} hands")
        for n, hands in fields:
            pairs = n * (n - 1) // 2
            sweep = {
                key: list(range(6, 6 + size)) for key, size in zip(("open", "reraise", "made"), _SWEEPS[n], strict=True)
            }
            config = Path(folder) / f"field-{n}-{hands}.yaml"
            config.write_text(_FIELD.format(deals=hands // 2 // pairs, **sweep))
            results += _scaled(folder, config, hands, f"{n} entrants, {pairs:,} line-ups, {hands:,} hands")
    return results


def _scaled(folder: str, config: Path, hands: int, name: str) -> list[Result]:
    out = Path(folder) / f"{config.stem}.duckdb"
    told = _run(config, out, workers=0)
    with Reader(out) as reader:
        cpu_s = float(reader.query("SELECT sum(cpu_s) AS cpu_s FROM chunks").to_pylist()[0]["cpu_s"])
    return [
        result("scaling", name, [cpu_s / hands * 1e9], "ns/hand"),
        result("scaling", name, [told["cpu_s"]], "s CPU"),
        result("scaling", name, [told["peak_mib"]], "MiB"),
    ]


def start(quick: bool) -> list[Result]:
    """Whole processes: help, checking, and a short run; in the long bench also the first one of an empty cache.

    The quick bench takes the user's cache, which the benches before this one have filled.
    """
    results = []
    with tempfile.TemporaryDirectory() as folder:
        config, cache = config_of(folder, 64), {} if quick else {"RAZZSIM_CACHE": str(Path(folder) / "cache")}
        if not quick:
            cold = _command(cache, "run", str(config), "--local", "--out", f"{folder}/cold.duckdb")
            results.append(result("start", "razzsim run --local, 384 hands, empty cache", [cold], "s"))
        names = iter(range(100))
        for name, arguments in (
            ("razzsim --help", ["--help"]),
            ("razzsim validate, full cache", ["validate", str(config)]),
            ("razzsim run --local, 384 hands, full cache", ["run", str(config), "--local"]),
        ):
            takes = []
            for _ in range(2 if quick else 7):
                out = ["--out", f"{folder}/{next(names)}.duckdb"] if "run" in arguments else []
                takes.append(_command(cache, *arguments, *out))
            results.append(result("start", name, takes, "s"))
    return results


def _command(environment: dict[str, str], *arguments: str) -> float:
    command = [str(Path(sys.executable).with_name("razzsim")), *arguments]
    begin = time.monotonic()
    subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=True)
    return time.monotonic() - begin
