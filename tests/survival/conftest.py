"""What tests of survival share: how many rounds, a draw that can be repeated, undisturbed runs, measured recoveries."""

import os
import random
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from tests.runner.test_interrupts import start
from tests.survival.watched import ROUNDS, Tables, play_undisturbed

__all__ = ["start"]

_SECONDS: dict[str, list[float]] = defaultdict(list)


@pytest.fixture
def draw() -> random.Random:
    """The moments and the victims; a failing test shows the seed, RAZZSIM_SURVIVAL_SEED repeats it."""
    seed = int(os.environ.get("RAZZSIM_SURVIVAL_SEED", random.randrange(1 << 32)))
    print(f"RAZZSIM_SURVIVAL_SEED={seed} RAZZSIM_ROUNDS={ROUNDS}")
    return random.Random(seed)


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Tables]:
    """The tables of a run that nobody disturbs, played once for each experiment."""
    known: dict[str, Tables] = {}

    def tables_of(**keys: Any) -> Tables:
        if (name := repr(keys)) not in known:
            folder: Path = tmp_path_factory.mktemp("undisturbed")
            known[name] = play_undisturbed(folder, **keys)
        return known[name]

    return tables_of


@pytest.fixture
def measured() -> Callable[[str, float], None]:
    """Note how many seconds a recovery took; the summary shows them all."""
    return lambda what, seconds: _SECONDS[what].append(seconds)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for what, seconds in sorted(_SECONDS.items()):
        few, most = min(seconds), max(seconds)
        words = f"{what}: {len(seconds)} times, {median(seconds):.1f} s ({few:.1f} to {most:.1f})"
        terminalreporter.write_line(f"survival: {words}")
