"""Proves that --local hears while it plays: a strategy that never answers is given up, and Ctrl-C works."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

RAZZSIM = str(Path(sys.executable).with_name("razzsim"))
PATIENCE_S = 180
ENDLESS = """
from razzsim.strategy import CALL, strategy


@strategy(declares=("deterministic", "stateless"))
def endless(me, table, p):
    n = 0
    while n < 1:
        n = n * 1
    return CALL
"""
CONFIG = """
seed: 1
table: {seats: 2, ante: 1, bring_in: 2, small_bet: 4}
entrants: [{strategy: endless.py}, {strategy: station}]
schedule: heads_up
deals: 100
limits: {chunk_s: SECONDS, attempts: 2}
"""


@pytest.fixture
def start(tmp_path):
    """A run of the endless strategy in a process of its own."""
    processes = []

    def start_one(seconds):
        (tmp_path / "endless.py").write_text(ENDLESS)
        (tmp_path / "x.yaml").write_text(CONFIG.replace("SECONDS", str(seconds)))
        words = [RAZZSIM, "run", "x.yaml", "--local", "--out", "x.duckdb"]
        processes.append(subprocess.Popen(words, cwd=tmp_path, stdout=-1, stderr=-1, text=True))
        return processes[-1]

    yield start_one
    for process in processes:
        process.kill()
        process.wait()


@pytest.mark.slow
def test_a_strategy_that_never_answers_is_given_up(start):
    process = start(seconds=0.5)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out) == (3, "")
    assert "given up after 2 tries: timeout: not done after 0.5 s (limits: chunk_s)" in err


@pytest.mark.slow
def test_ctrl_c_is_heard_while_it_hangs(start, tmp_path):
    process = start(seconds=300)
    deadline = time.monotonic() + PATIENCE_S
    while not (tmp_path / "x.snapshot.duckdb").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out) == (130, "")
    assert err.endswith("go on with: razzsim resume x.duckdb\n")
