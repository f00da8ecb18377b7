"""Drivers that are killed, and drivers that want one output: what was committed stays, one at a time writes."""

import json
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.runner.helpers import experiment, rows
from tests.runner.test_interrupts import Driver, Start, wait_for, wait_for_chunks
from tests.survival.watched import (
    PATIENCE_S,
    ROUNDS,
    RUNS,
    SUMS,
    Watched,
    check_nothing_is_left,
    check_tables,
    hands_of,
    moments,
)

pytestmark = pytest.mark.slow
KEPT = "SELECT line_up, first_group, worker, committed_at FROM chunks"
CASES = {"sums, ray": ("sums", "--workers=2"), "sums, local": ("sums", "--local"), "rows, ray": ("rows", "--workers=2")}


@pytest.mark.parametrize("case", CASES)
def test_the_driver_is_killed_again_and_again(
    case: str,
    start: Start,
    tmp_path: Path,
    draw: random.Random,
    undisturbed: Callable[..., Path],
    measured: Callable[[str, float], None],
) -> None:
    kind, workers = CASES[case]
    keys, out = RUNS[kind], tmp_path / "out.duckdb"
    expected, config = undisturbed(**keys), experiment(tmp_path, **keys)
    run = Watched(start, "run", config, workers, "--out", out)
    kept: set[tuple[object, ...]] = set()
    for hands in moments(draw, 6 * keys["deals"]):
        run.wait_for_hands(hands)
        kill_and_wait(run.driver)
        found = set(rows(out, KEPT))
        assert kept < found
        kept, struck, done = found, time.monotonic(), hands_of(out)
        run = Watched(start, "resume", out, workers)
        run.wait_for_hands(done, or_end=True)
        measured(f"driver killed ({case}), from resume to its first commit", time.monotonic() - struck)
    assert run.end()[0] == 0
    check_tables(out, expected)
    check_nothing_is_left(run.driver, out)
    assert kept < set(rows(out, KEPT))
    assert rows(out, "SELECT attempt, status FROM runs") == [(1 + ROUNDS, "complete")]


def kill_and_wait(driver: Driver) -> None:
    """Whatever plays or holds memory ends with the driver."""
    driver.process.kill()
    driver.process.wait()
    wait_for(driver.is_at_rest, "its Ray ends")


def test_others_are_refused_while_one_writes(start: Start, tmp_path: Path, undisturbed: Callable[..., Path]) -> None:
    """With the writer's process in the words; the writer does not notice."""
    expected, out, config = undisturbed(**SUMS), tmp_path / "out.duckdb", experiment(tmp_path, **SUMS)
    writer = start("run", config, "--local", "--out", out)
    wait_for_chunks(out, writer)
    writer.process.send_signal(signal.SIGSTOP)  # the others are to find it writing, however long they take
    for command in (
        ("run", config, "--out", out),
        ("resume", out),
        ("label", out, "mine"),
        ("materialize", out, "--level", "hands"),
    ):
        code, said, err = start(*command).end()
        assert (code, said, err.count("\n")) == (2, "", 1), command
        assert f"{out}: is held open by process {writer.process.pid}" in err
    writer.process.send_signal(signal.SIGCONT)
    writer.process.wait(PATIENCE_S)
    assert writer.end()[0] == 0
    check_tables(out, expected)
    check_nothing_is_left(writer, out)


def test_two_resume_at_once(start: Start, tmp_path: Path, undisturbed: Callable[..., Path]) -> None:
    """One of them plays; the other is told by whom the file is held."""
    expected, out = undisturbed(**SUMS), tmp_path / "out.duckdb"
    first = start("run", experiment(tmp_path, **SUMS), "--local", "--out", out)
    wait_for_chunks(out, first)
    first.process.send_signal(signal.SIGTERM)
    assert first.end()[0] == 143
    two = [start("resume", out, "--local", "--json") for _ in range(2)]
    ends = {driver.process.pid: driver.end() for driver in two}
    assert sorted(code for code, _, _ in ends.values()) == [0, 2]
    (winner,) = (pid for pid, (code, _, _) in ends.items() if code == 0)
    ((_, said, err),) = (end for pid, end in ends.items() if pid != winner)
    assert (said, err) == ("", f"{out}: is held open by process {winner}\n")
    assert json.loads(ends[winner][1])["status"] == "complete"
    check_tables(out, expected)
    assert rows(out, "SELECT attempt FROM runs") == [(2,)]
    for driver in two:
        check_nothing_is_left(driver, out)
