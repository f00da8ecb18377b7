"""The kernel of another commit against this one, interleaved: what a change costs, as ratios of one run."""

import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from tests.bench.harness import ROOT, Result, result

_ROUNDS = 4


def before(commit: str) -> list[Result]:
    """Hands a second here over hands a second at `commit`, for each kernel row that both have."""
    ratios = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "clone", "-q", str(ROOT), folder], check=True)
        subprocess.run(["git", "checkout", "-q", commit], cwd=folder, check=True)
        for _ in range(_ROUNDS):
            then, now = _kernel(Path(folder)), _kernel(ROOT)
            for name in now.keys() & then.keys():
                ratios[name].append(now[name] / then[name])
    return [result("before", f"{name}, over {commit}", takes, "times") for name, takes in sorted(ratios.items())]


def _kernel(folder: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.bench", "--quick", "--only", "kernel", "--json"]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    told = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    rows = json.loads(told.stdout)["results"]
    # Rows were named without their game before there were two.
    return {row["name"].removesuffix(", razz"): row["value"] for row in rows if row["unit"] == "hands/s"}
