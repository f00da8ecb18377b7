"""What tests of survival share: how many rounds, a draw that can be repeated, measured recoveries."""

import os
import random
from collections import defaultdict
from collections.abc import Callable
from statistics import median
from typing import Any

import pytest

from tests.runner.test_interrupts import start
from tests.survival.watched import ROUNDS

__all__ = ["start"]

_SECONDS: dict[str, list[float]] = defaultdict(list)


@pytest.fixture
def draw() -> random.Random:
    """The moments and the victims; a failing test shows the seed, RAZZSIM_SURVIVAL_SEED repeats it."""
    seed = int(os.environ.get("RAZZSIM_SURVIVAL_SEED", random.randrange(1 << 32)))
    print(f"RAZZSIM_SURVIVAL_SEED={seed} RAZZSIM_ROUNDS={ROUNDS}")
    return random.Random(seed)


@pytest.fixture
def measured() -> Callable[[str, float], None]:
    """Note how many seconds a recovery took; the summary shows them all."""
    return lambda what, seconds: _SECONDS[what].append(seconds)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for what, seconds in sorted(_SECONDS.items()):
        few, most = min(seconds), max(seconds)
        words = f"{what}: {len(seconds)} times, {median(seconds):.1f} s ({few:.1f} to {most:.1f})"
        terminalreporter.write_line(f"survival: {words}")
