"""A chunk that no worker survives and one that never ends: given up with the reason, the rest is kept, and resumed."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from razzsim.cli.app import main
from razzsim.runner import cluster
from tests.runner.helpers import experiment, failing, rows
from tests.runner.test_interrupts import SIX, Start
from tests.survival.watched import check_nothing_is_left, check_tables

pytestmark = pytest.mark.slow
POISON = 40 * 1024
"""First deal of the chunk that kills."""
KEYS = {**SIX, "deals": 60_000, "limits": {"attempts": 3, "chunk_s": 2}}


def poisonous(cause: Path, kind: str) -> type:
    """A worker that is killed, or hangs, whenever it plays the chunk, as long as the cause is there.

    A class that is made here goes to workers as a whole: they cannot import tests.
    """

    class Worker(cluster._Worker):
        def play(self, run: int, chunks: Any) -> Any:
            while cause.exists() and POISON in {first_group for _, first_group, _ in chunks}:
                if kind == "worker_lost":
                    os.kill(os.getpid(), signal.SIGKILL)
                time.sleep(0.1)
            return super().play(run, chunks)

    return Worker


def call(*words: object) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    assert isinstance(ended.value.code, int)
    return ended.value.code


@pytest.mark.parametrize("kind", ["worker_lost", "timeout"])
def test_a_chunk_that_kills_or_hangs_its_worker(
    kind: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    ray_address: str,
    undisturbed: Callable[..., Path],
) -> None:
    expected, out, cause = undisturbed(**KEYS), tmp_path / "out.duckdb", tmp_path / "cause"
    on_ray = ("--workers", 2, "--address", ray_address)
    monkeypatch.setattr(cluster, "_Worker", poisonous(cause, kind))
    cause.touch()
    assert call("run", experiment(tmp_path, **KEYS), *on_ray, "--out", out) == 3
    given_up = f"line-up 0, deals from {POISON}: given up after 3 tries: {kind}: "
    assert given_up in capsys.readouterr().err
    tries = f"SELECT outcome, attempt FROM failures WHERE first_group = {POISON} ORDER BY ALL"
    assert rows(out, tries) == [("quarantined", 3), *((kind, attempt) for attempt in (1, 2, 3))]
    ((status, reason),) = rows(out, "SELECT status, stop_reason FROM runs")
    assert (status, reason[: len(given_up)]) == ("failed", given_up)
    kept = set(rows(out, "SELECT first_group, committed_at FROM chunks"))
    assert {first for first, _ in kept} >= set(range(0, POISON, 1024))
    cause.unlink()
    assert call("resume", out, *on_ray) == 0
    check_tables(out, expected)
    assert kept < set(rows(out, "SELECT first_group, committed_at FROM chunks"))


HANGS = "table.street == 7 and me.cards[0] == 12 and me.cards[1] == 51 and me.cards[6] < 10"
LOOP = "k = 0\n        while table.street != 0:\n            k += me.seat + 1\n        return k"


@pytest.mark.parametrize("workers", ["--workers=2", "--local"])
def test_a_chunk_that_never_ends(workers: str, start: Start, tmp_path: Path) -> None:
    """And again when it is resumed: the strategy is still the same."""
    limits = {"chunk_s": 1, "attempts": 2}
    keys = {"deals": 60_000, "batch_groups": 1024, "chunk_groups": 256, "limits": limits}
    entrants = [{"strategy": "station"}, failing(tmp_path, HANGS, LOOP)]
    config, out = experiment(tmp_path, entrants=entrants, **keys), tmp_path / "out.duckdb"
    for attempt, command in enumerate((("run", config, "--out", out), ("resume", out)), 1):
        driver = start(*command, workers)
        code, _, err = driver.end()
        assert (code, "given up after 2 tries: timeout: not done after 1 s (limits: chunk_s)" in err) == (3, True), err
        check_nothing_is_left(driver, out)
        sql = f"SELECT first_group, outcome, attempt FROM failures WHERE run_attempt = {attempt} ORDER BY ALL"
        given_up = [first for first, outcome, _ in rows(out, sql) if outcome == "quarantined"]
        for first in given_up:
            tries = [(outcome, n) for chunk, outcome, n in rows(out, sql) if chunk == first]
            assert tries == [("quarantined", 2), ("timeout", 1), ("timeout", 2)]
            assert rows(out, f"SELECT count(*) FROM chunks WHERE first_group = {first}") == [(0,)]
        assert given_up
        assert rows(out, "SELECT count(*) > 0 FROM chunks") == [(True,)]
