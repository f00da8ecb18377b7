"""However a run ends, it leaves its result and nothing else: no process, no temporary file, no folder of Ray's."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.runner.helpers import experiment, failing, rows
from tests.runner.test_interrupts import ENDLESS, SIX, Driver, Start, wait_for_chunks
from tests.survival.test_drivers import kill_and_wait
from tests.survival.watched import Watched, check_nothing_is_left, hands_of

pytestmark = pytest.mark.slow
RECORDED = {**SIX, "record": "hands", "chunk_groups": 256}
FAILS = "table.street == 7 and me.cards[0] == 12 and me.cards[6] == 51"


def shared_memory() -> set[str]:
    """Files of /dev/shm: Ray's object store lies there."""
    return set(os.listdir("/dev/shm"))


def interrupt(number: int) -> Callable[[Driver, Path], None]:
    def send(driver: Driver, out: Path) -> None:
        wait_for_chunks(out, driver)
        driver.process.send_signal(number)

    return send


def nothing(driver: Driver, out: Path) -> None:
    """It ends by itself."""


ENDS: dict[str, tuple[int, dict[str, Any], Callable[[Driver, Path], None]]] = {
    "complete": (0, {"deals": 20_000}, nothing),
    "Ctrl-C": (130, {"deals": ENDLESS}, interrupt(signal.SIGINT)),
    "SIGTERM": (143, {"deals": ENDLESS}, interrupt(signal.SIGTERM)),
    "failing strategy": (3, {"deals": ENDLESS}, nothing),
}


@pytest.mark.parametrize("workers", ["--workers=2", "--local"])
@pytest.mark.parametrize("end", ENDS)
def test_nothing_is_left(end: str, workers: str, start: Start, tmp_path: Path) -> None:
    code, keys, act = ENDS[end]
    if end == "failing strategy":
        entrants = [{"strategy": "random", "count": 5}, failing(tmp_path, FAILS, "return 7")]
        keys = {**keys, "entrants": entrants}
    out, before = tmp_path / "out.duckdb", shared_memory()
    driver = start("run", experiment(tmp_path, **{**RECORDED, **keys}), workers, "--out", out)
    act(driver, out)
    ended, _, err = driver.end()
    assert ended == code, err
    check_nothing_is_left(driver, out)
    check_rows(out)
    assert shared_memory() <= before


@pytest.mark.parametrize("workers", ["--workers=2", "--local"])
def test_the_next_run_sweeps_what_a_killed_one_left(workers: str, start: Start, tmp_path: Path) -> None:
    """Both have the same temporary folder, as on a machine of one user."""
    out, other = tmp_path / "out.duckdb", tmp_path / "other.duckdb"
    killed = start("run", experiment(tmp_path, deals=ENDLESS, **RECORDED), workers, "--out", out)
    wait_for_chunks(out, killed)
    kill_and_wait(killed)
    assert (out.parent / "out.snapshot.duckdb").exists()
    assert any(killed.temporary.iterdir()) == (workers != "--local")
    config = experiment(tmp_path, "other", deals=2000, **SIX)
    finished = start("run", config, workers, "--out", other, temporary=killed.temporary)
    assert finished.end()[0] == 0
    assert list(killed.temporary.iterdir()) == []
    hands = hands_of(out)
    resumed = Watched(start, "resume", out, "--local")
    resumed.wait_for_hands(hands)
    resumed.driver.process.send_signal(signal.SIGINT)
    assert resumed.end()[0] == 130
    check_nothing_is_left(resumed.driver, out)
    check_rows(out)


def check_rows(out: Path) -> None:
    """The files of rows are those that count."""
    listed = {Path(path).name for (path,) in rows(out, "SELECT path FROM parts")}
    assert {path.name for path in out.parent.glob("out.parts/*")} == listed
    assert listed
