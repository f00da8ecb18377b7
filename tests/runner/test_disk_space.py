"""A disk that fills up: the run stops while there is room to close its file, and goes on when there is more.

A real file system of its own, in memory. Authority: faults (a full disk must not hurt what was committed).
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import duckdb
import pytest

from razzsim.store.space import RESERVE_BYTES
from tests.cli.conftest import call
from tests.runner.helpers import experiment, play, rows, sums
from tests.runner.test_interrupts import wait_for

_MIB = 1 << 20


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """An empty file system of the reserve and 16 MiB more, of which a file takes 13."""
    folder = tmp_path / "disk"
    folder.mkdir()
    size = RESERVE_BYTES + 16 * _MIB
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", folder], check=True)
    try:
        (folder / "filler").write_bytes(bytes(13 * _MIB))
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.mark.slow
def test_a_run_stops_before_its_disk_is_full(disk: Path, tmp_path: Path) -> None:
    config = experiment(tmp_path, record="actions", deals=100_000, chunk_groups=256, snapshot_s=0.5)
    ours, out = play(config, "ours.duckdb").path, disk / "x.duckdb"
    answer = call("run", config, "--local", "--out", out)
    assert answer.code == 4
    said = rf"{out}: \d\d MiB are free on its disk, less than the 64 MiB it must have"
    assert re.fullmatch(rf"{said}: make room, then go on with: razzsim resume {out}", answer.error)
    ((status, reason, hands),) = rows(
        out, "SELECT status, stop_reason, sum(n_hands) FROM runs JOIN chunks USING (run_id) GROUP BY ALL"
    )
    assert (status, re.fullmatch(said, reason) is not None, 0 < hands < 200_000) == ("stopped", True, True)
    listed = {Path(path).name for (path,) in rows(out, "SELECT path FROM parts")}
    assert {file.name for file in (disk / "x.parts").iterdir()} == listed
    answer = call("resume", out, "--local")
    assert (answer.code, re.search(said, answer.error) is not None) == (4, True)
    subprocess.run(["mount", "-o", f"remount,size={4 * RESERVE_BYTES}", disk], check=True)
    answer = call("resume", out, "--local")
    assert answer.code == 0, answer.err
    assert sums(out) == sums(ours)
    count = "SELECT count(*), sum(amount_chips) FROM actions"
    assert rows(out, count) == rows(ours, count)


@pytest.mark.slow
def test_on_a_full_disk_the_last_snapshot_opens(disk: Path, tmp_path: Path) -> None:
    """Of a driver that was killed, when others filled the disk to its last byte."""
    subprocess.run(["mount", "-o", f"remount,size={4 * RESERVE_BYTES}", disk], check=True)
    config, out, snapshot = (
        experiment(tmp_path, deals=100_000_000, batch_groups=1 << 16, snapshot_s=0.5),
        disk / "x.duckdb",
        disk / "x.snapshot.duckdb",
    )
    command = ("run", config, "--local", "--out", out)
    program = [sys.executable, "-c", "from razzsim.cli.app import main; main()", *command]
    with subprocess.Popen(program, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as driver:
        try:
            wait_for(lambda: snapshot.exists() and rows(snapshot, "SELECT * FROM chunks LIMIT 1") != [], "a snapshot")
        finally:
            driver.kill()
    with suppress(OSError), (disk / "more").open("wb") as file:
        while True:
            file.write(bytes(_MIB))
    with duckdb.connect(str(snapshot), read_only=True) as connection:
        hands, net = connection.execute("SELECT sum(n_hands), sum(net_chips) FROM group_sums").fetchone() or (0, 1)
    assert hands > 0
    assert net == 0
    (disk / "more").unlink()
    with subprocess.Popen([*program[:3], "resume", str(out), "--local"], stderr=subprocess.PIPE, text=True) as driver:
        try:
            is_further = f"SELECT sum(n_hands) > {hands} FROM chunks"
            wait_for(lambda: snapshot.exists() and rows(snapshot, is_further) == [(True,)], "more than that")
        finally:
            driver.terminate()
        assert driver.wait() == 143, driver.stderr and driver.stderr.read()
    assert (disk / "x.duckdb").exists() and not snapshot.exists()
    answer = call("verify", out, "--local", "--sample", "5%")
    assert (answer.code, "all equal" in answer.out) == (0, True)


@pytest.mark.slow
def test_a_disk_that_is_full_already(disk: Path, tmp_path: Path) -> None:
    (disk / "more").write_bytes(bytes(8 * _MIB))
    answer = call("run", experiment(tmp_path), "--local", "--out", disk / "x.duckdb")
    assert (answer.code, "MiB are free on its disk" in answer.error) == (4, True)
    assert not list(disk.glob("x*"))
