"""Nodes of a cluster that die, and nodes that come: the others play on, and the new ones play, too."""

import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests.runner.helpers import experiment, new_cluster, rows
from tests.runner.test_interrupts import ENDLESS, SIX, Start, wait_for
from tests.survival.watched import (
    PATIENCE_S,
    ROUNDS,
    WORKER,
    Watched,
    check_nothing_is_left,
    check_played_again,
)

pytestmark = pytest.mark.slow
SOON = {"health_check_period_ms": 500, "health_check_timeout_ms": 1000, "health_check_failure_threshold": 2}
"""Ray asks nodes every 3 s whether they live, and believes the fifth silence: half a minute for each blow."""


class Nodes:
    """A cluster whose head plays nothing, and its nodes."""

    def __init__(self) -> None:
        self._cluster = new_cluster(0, _system_config=SOON)
        self.address = self._cluster.address

    def add(self, n_cpus: int = 1) -> psutil.Process:
        """One more, with this process's environment; returns its raylet."""
        node = self._cluster.add_node(num_cpus=n_cpus, object_store_memory=80 << 20)
        (raylet,) = node.all_processes["raylet"]
        return psutil.Process(raylet.process.pid)

    def logs(self) -> Path:
        """What the workers of all nodes print."""
        return Path(self._cluster.head_node.get_session_dir_path()) / "logs"

    def close(self) -> None:
        """Stop them all."""
        self._cluster.shutdown()


@pytest.fixture
def nodes() -> Iterator[Nodes]:
    cluster = Nodes()
    yield cluster
    cluster.close()


def workers(raylet: psutil.Process) -> set[int]:
    """Workers of ours on a node."""
    found = set()
    for process in raylet.children() if raylet.is_running() else ():
        try:
            if process.cmdline()[0].startswith(WORKER):
                found.add(process.pid)
        except (psutil.Error, IndexError):  # it has just ended
            continue
    return found


def who_played(out: Path) -> set[int]:
    """Processes that are stored with chunks; while a run writes, as of its last snapshot."""
    return {int(worker.rpartition(":")[2]) for (worker,) in rows(out, "SELECT DISTINCT worker FROM chunks")}


def wait_until_it_plays(raylet: psutil.Process, out: Path, run: Watched) -> None:
    """Until chunks of the node's workers are committed."""

    def plays() -> bool:
        assert run.driver.process.poll() is None, run.driver.end()
        return bool(workers(raylet) & who_played(out))

    wait_for(plays, "the node plays", PATIENCE_S)


@contextmanager
def paused(pids: set[int]) -> Iterator[None]:
    """They need not play, and share the cores, while a node starts."""
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    yield
    for pid in pids:
        os.kill(pid, signal.SIGCONT)


def wait_until_nothing_is_missing(out: Path, hands: int, run: Watched) -> None:
    """Until so many hands are there without a gap: what was lost with its node is played."""

    def are_there() -> bool:
        assert run.driver.process.poll() is None, run.driver.end()
        return bool(rows(out, f"SELECT deals_done * 6 >= {hands} FROM line_ups")[0][0])

    wait_for(are_there, f"{hands} hands without a gap", PATIENCE_S)


def check_stopped(run: Watched, out: Path, config: Path, raylets: list[psutil.Process]) -> None:
    """It ends when it is asked to, right, and gone from the cluster, which lives on."""
    run.driver.process.send_signal(signal.SIGTERM)
    assert run.end()[0] == 143
    check_nothing_is_left(run.driver, out)
    check_played_again(out, config)
    wait_for(lambda: not any(workers(raylet) for raylet in raylets), "workers end with their run")
    assert {outcome for (outcome,) in rows(out, "SELECT DISTINCT outcome FROM failures")} <= {"worker_lost"}


def test_nodes_are_killed_and_others_come(
    nodes: Nodes,
    start: Start,
    tmp_path: Path,
    draw: random.Random,
    measured: Callable[[str, float], None],
) -> None:
    """SIGKILL of a raylet takes the node's workers along; a node that comes gets one, which plays.

    In the end all are killed, and one comes.
    """
    config, out = experiment(tmp_path, **{**SIX, "deals": ENDLESS}), tmp_path / "out.duckdb"
    raylets = [nodes.add(), nodes.add()]
    run = Watched(start, "run", config, "--address", nodes.address, "--out", out)
    run.wait_for_hands(0)
    for raylet in raylets:
        wait_until_it_plays(raylet, out, run)
    for _ in range(ROUNDS):
        time.sleep(0.3 * draw.random())
        victim = raylets.pop(draw.randrange(2))
        measured("1 of 2 nodes killed, to the next commit", run.recover(victim.kill))
        with paused(workers(raylets[0])):
            raylets.append(nodes.add())
            came = time.monotonic()
            wait_until_it_plays(raylets[-1], out, run)
            measured("a node came, to its first commit that others see", time.monotonic() - came)
    for raylet in raylets:
        raylet.kill()
    time.sleep(1)  # what they had answered before is committed
    hands = run.hands()
    measured("all nodes killed and one came, to the next commit", run.recover(lambda: raylets.append(nodes.add())))
    wait_until_nothing_is_missing(out, hands, run)
    check_stopped(run, out, config, raylets)
