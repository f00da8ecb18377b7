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

from razzsim.store import Reader
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
    """Rate of a run with Ray workers over that of as many plain processes with the same chunks, interleaved."""
    deals, rounds = (400_000, 1) if quick else (2_000_000, 4)
    results = []
    with tempfile.TemporaryDirectory() as folder:
        config = _config(folder, deals)
        for n in (2,) if quick else (1, 2):
            runs, plains, ratios = [], [], []
            for round_ in range(rounds):
                plains.append(_plain_rate(str(config), n))
                runs.append(_run(config, Path(folder) / f"{n}-{round_}.duckdb", workers=n)["rate"])
                ratios.append(runs[-1] / plains[-1])
            results += [
                result("ray", f"plain processes: {n}", plains, "hands/s"),
                result("ray", f"razzsim run, Ray workers: {n}, first to last commit", runs, "hands/s"),
                result("ray", f"ratio, {n}", ratios, "times"),
            ]
    return results


_RUN = """
import json, sys, time
from razzsim.runner import session
begin, seen = float(sys.argv[4]), []
watch = session.Watch(progress=lambda p: seen.append((time.time(), p.hands)))
workers = int(sys.argv[3])
session.run(sys.argv[1], sys.argv[2], session.Options(workers=workers or None, local=not workers), watch)
moving = [s for s in seen if s[1] > 0]
status = open("/proc/self/status").read()
took = moving[-1][0] - moving[0][0]
print(json.dumps({
    "rate": (moving[-1][1] - moving[0][1]) / took if took else 0.0,
    "peak_mib": int(status.split("VmHWM:")[1].split()[0]) / 1024,
    "first_commit_s": moving[0][0] - begin,
}))
"""


def _run(config: Path, out: Path, workers: int, **environment: str) -> dict[str, Any]:
    """A run in a process of its own; workers: Ray actors, 0 = without Ray."""
    command = [sys.executable, "-c", _RUN, str(config), str(out), str(workers), str(time.time())]
    told = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=True)
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

    plan = plan_from_file(config)
    bench, chunks = Workbench(plan), list(plan.chunks())
    bench.play(chunks[0])
    ready.wait()
    answers.put(sum(int(bench.play(chunk).sums[4]) for chunk in chunks[k::n]))


def memory(quick: bool) -> list[Result]:
    """Peak resident memory of the driver for short and long runs: it must not grow with the number of hands."""
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for hands in (1_000_000, 5_000_000) if quick else (1_000_000, 50_000_000):
            told = _run(_config(folder, hands // 6), Path(folder) / f"{hands}.duckdb", workers=2)
            results.append(result("memory", f"driver, {hands:,} hands", [told["peak_mib"]], "MiB"))
    return results


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


def scaling(quick: bool) -> list[Result]:
    """Nanoseconds a hand of whole runs without Ray: by length of the run, and by number of entrants."""
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for hands in (1_000_000, 4_000_000) if quick else (1_000_000, 10_000_000, 100_000_000):
            results += _scaled(folder, _config(folder, hands // 6), hands, f"{hands:,} hands")
        for n, (opens, reraises, mades) in {2: (2, 1, 1), 20: (5, 4, 1), 200: (8, 5, 5)}.items():
            pairs, hands = n * (n - 1) // 2, 2_000_000 if quick else 10_000_000
            config = Path(folder) / f"field-{n}.yaml"
            sweep = {"open": opens, "reraise": reraises, "made": mades}
            lists = {key: list(range(6, 6 + size)) for key, size in sweep.items()}
            config.write_text(_FIELD.format(deals=hands // 2 // pairs, **lists))
            results += _scaled(folder, config, hands, f"{n} entrants, {pairs:,} line-ups, {hands:,} hands")
    return results


def _scaled(folder: str, config: Path, hands: int, name: str) -> list[Result]:
    out = Path(folder) / f"{config.stem}.duckdb"
    told = _run(config, out, workers=0)
    with Reader(out) as reader:
        cpu_s = float(reader.query("SELECT sum(cpu_s) AS cpu_s FROM chunks").to_pylist()[0]["cpu_s"])
    return [
        result("scaling", name, [cpu_s / hands * 1e9], "ns/hand"),
        result("scaling", name, [told["peak_mib"]], "MiB"),
    ]


def start(quick: bool) -> list[Result]:
    """Whole processes: help, checking, a first hand with an empty cache and with a full one, a first commit by Ray."""
    results = []
    with tempfile.TemporaryDirectory() as folder:
        config, cache = _config(folder, 64), {"RAZZSIM_CACHE": str(Path(folder) / "cache")}
        if not quick:
            cold = [_command(cache, "run", str(config), "--local", "--out", f"{folder}/cold.duckdb")]
            results.append(result("start", "razzsim run --local, 384 hands, empty cache", cold, "s"))
        _command(cache, "run", str(config), "--local", "--out", f"{folder}/first.duckdb")
        names = iter(range(100))
        for name, arguments in (
            ("razzsim --help", ["--help"]),
            ("razzsim validate, full cache", ["validate", str(config)]),
            ("razzsim run --local, 384 hands, full cache", ["run", str(config), "--local"]),
        ):
            takes = []
            for _ in range(3 if quick else 7):
                out = ["--out", f"{folder}/{next(names)}.duckdb"] if "run" in arguments else []
                takes.append(_command(cache, *arguments, *out))
            results.append(result("start", name, takes, "s"))
        larger = _config(folder, 400_000)
        commits = [
            _run(larger, Path(folder) / f"ray-{k}.duckdb", workers=2, **cache)["first_commit_s"]
            for k in range(1 if quick else 3)
        ]
        results.append(result("start", "razzsim run, two Ray workers, to the first commit, full cache", commits, "s"))
    return results


def _command(environment: dict[str, str], *arguments: str) -> float:
    command = [str(Path(sys.executable).with_name("razzsim")), *arguments]
    begin = time.monotonic()
    subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=True)
    return time.monotonic() - begin
