"""Workers that are killed, several at once and again and again: nothing is counted twice and nothing is missing."""

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.runner.helpers import experiment, rows
from tests.runner.test_interrupts import Start, wait_for
from tests.survival.watched import (
    RUNS,
    Watched,
    check_nothing_is_left,
    check_tables,
    kill,
    moments,
    some,
)

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("keys", RUNS.values(), ids=RUNS)
def test_workers_are_killed(
    keys: dict[str, Any],
    start: Start,
    tmp_path: Path,
    draw: random.Random,
    undisturbed: Callable[..., Path],
    measured: Callable[[str, float], None],
) -> None:
    expected, out = undisturbed(**keys), tmp_path / "out.duckdb"
    run = Watched(start, "run", experiment(tmp_path, **keys), "--workers", 2, "--out", out)
    for hands in moments(draw, 6 * keys["deals"]):
        run.wait_for_hands(hands)
        wait_for(lambda: bool(run.workers()), "a worker")
        victims = some(draw, run.workers())
        measured(f"{len(victims)} of 2 workers killed, to the next commit", run.recover(partial(kill, victims)))
    assert run.end()[0] == 0
    check_tables(out, expected)
    check_nothing_is_left(run.driver, out)
    assert rows(out, "SELECT DISTINCT outcome FROM failures") == [("worker_lost",)]
    listed = {Path(path).name for (path,) in rows(out, "SELECT path FROM parts")}
    assert {path.name for path in tmp_path.glob("out.parts/*")} == listed
    assert bool(listed) == ("record" in keys)
