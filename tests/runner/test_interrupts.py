"""Whatever stops a run, what was played is kept and `resume` arrives at the same bits.

Real processes: Ctrl-C in a terminal, SIGINT, SIGTERM, SIGKILL of the driver, SIGKILL of a Ray worker. Nothing is left
behind: no Ray process, no temporary folder, no snapshot. While a run writes, others read its snapshot and a second
writer is refused. Authority: faults G2 (a resume goes on, and its command is printed) and G5 (nothing twice).
"""

import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from razzsim.runner import open_run, session
from razzsim.runner.open_run import Progress
from razzsim.store import Reader, StoreError
from tests.runner.helpers import TABLE, experiment, play, rows, sums
from tests.test_metrics import Scraper, check_counters

RAZZSIM = str(Path(sys.executable).with_name("razzsim"))
SIX = {
    "schedule": "table",
    "table": {**TABLE, "seats": 6},
    "entrants": [{"strategy": "random", "count": 4}, {"strategy": "loose"}, {"strategy": "tight"}],
    "batch_groups": 4096,
    "chunk_groups": 1024,
    "snapshot_s": 0.5,
    "limits": {"attempts": 100},  # none is given up, for chance may strike one chunk again and again
}
"""Six seats, small chunks."""
DEALS = 900_000
"""5.4 million hands take one process 6 s. Who strikes later than at the first snapshot, or needs no end: ENDLESS."""
ENDLESS = 1 << 40
PATIENCE_S = 180


class Driver:
    """A `razzsim` process in a session of its own, with a temporary folder of its own for Ray."""

    def __init__(
        self,
        *arguments: str,
        terminal: int | None = None,
        temporary: Path | None = None,
        environment: Mapping[str, str] | None = None,
        **process: Any,
    ) -> None:
        """temporary: another one's folder; environment: instead of this process's; process: for Popen."""
        self.temporary = temporary or Path(tempfile.mkdtemp(prefix="rz-"))
        if temporary is None and not {"--local", "--address"} & set(arguments):
            # What a killed driver leaves; `left_behind` shows that a run with a Ray of its own removes it.
            (self.temporary / "razzsim-ray-left").mkdir()
            (self.temporary / "razzsim-ray-left" / "driver.lock").touch()
        self.process = subprocess.Popen(
            [RAZZSIM, *arguments],
            stdin=terminal,
            stdout=subprocess.PIPE if terminal is None else terminal,
            stderr=subprocess.PIPE if terminal is None else terminal,
            text=True,
            start_new_session=True,
            env={**(os.environ if environment is None else environment), "TMPDIR": str(self.temporary)},
            **{"preexec_fn": None if terminal is None else _own_terminal, **process},
        )

    def end(self) -> tuple[int, str, str]:
        """Exit code and what it said."""
        out, err = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, out, err

    def processes(self) -> dict[int, str]:
        """All living processes of its session, itself included: Ray's stay in it."""
        found = {}
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                name, _, fields = stat.read_text().partition("(")[2].rpartition(")")
            except OSError:
                continue
            state, _, _, session = fields.split()[:4]
            if int(session) == self.process.pid and state != "Z":
                found[int(stat.parent.name)] = name
        return found

    def left_behind(self) -> tuple[dict[int, str], list[Path]]:
        """What should be gone when it has ended."""
        return self.processes(), list(self.temporary.glob("razzsim-ray-*"))

    def is_at_rest(self) -> bool:
        """Whether nothing of it plays or writes any more: of a killed one, two idle agents of Ray stay for minutes."""
        return all(name.startswith(("ray::Dashboard", "ray::RuntimeEnv")) for name in self.processes().values())

    def tidy_up(self) -> None:
        """End what this test started and remove its folder."""
        for pid in self.processes():
            os.kill(pid, signal.SIGKILL)
        self.process.wait()
        shutil.rmtree(self.temporary, ignore_errors=True)


def _own_terminal() -> None:
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


Start = Callable[..., Driver]


@pytest.fixture
def start() -> Iterator[Start]:
    drivers: list[Driver] = []

    def start_one(*arguments: object, **how: Any) -> Driver:
        drivers.append(Driver(*map(str, arguments), **how))
        return drivers[-1]

    yield start_one
    for driver in drivers:
        driver.tidy_up()


def wait_for(condition: Callable[[], bool], what: str, seconds: float = PATIENCE_S) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds} s: {what}"
        time.sleep(0.05)


def wait_for_chunks(out: Path, driver: Driver, table: str = "chunks") -> None:
    """Until another process can see that chunks are committed, or what is computed from them."""

    def are_there() -> bool:
        assert driver.process.poll() is None, driver.end()
        try:
            with Reader(out) as reader:
                return reader.is_snapshot and reader.query(f"SELECT 1 FROM {table} LIMIT 1").num_rows > 0
        except StoreError:
            return False

    wait_for(are_there, f"chunks in {out}")


def check_nothing_is_left(driver: Driver, out: Path) -> None:
    assert driver.left_behind() == ({}, [])
    assert sorted(path.name for path in out.parent.glob(f"{out.stem}*")) == [out.name]


def check_resume(start: Start, out: Path, undisturbed: Callable[..., Path]) -> None:
    """`resume` plays only what is missing and arrives at the sums of the undisturbed run."""
    kept = rows(out, "SELECT line_up, first_group, worker, committed_at FROM chunks")
    assert 0 < len(kept) < -(-DEALS // 1024)
    code, said, err = start("resume", out, "--local", "--json").end()
    assert code == 0, err
    assert (json.loads(said)["status"], json.loads(said)["hands"]) == ("complete", 6 * DEALS)
    assert sums(out) == sums(undisturbed(deals=DEALS, **SIX))
    assert set(kept) < set(rows(out, "SELECT line_up, first_group, worker, committed_at FROM chunks"))


@pytest.mark.slow
def test_ctrl_c_in_a_terminal(start: Start, tmp_path: Path, undisturbed: Callable[..., Path]) -> None:
    """The terminal sends SIGINT to every process of the foreground group, Ray's too."""
    out, (keyboard, terminal) = tmp_path / "out.duckdb", pty.openpty()
    config = experiment(tmp_path, deals=DEALS, **SIX)
    driver = start("run", config, "--workers", 1, "--out", out, terminal=terminal)
    os.close(terminal)
    wait_for_chunks(out, driver)
    os.write(keyboard, b"\x03")
    said = b""
    while True:
        try:
            said += os.read(keyboard, 65536)
        except OSError:  # the last one has closed the terminal
            break
    assert driver.process.wait(PATIENCE_S) == 130, said.decode()
    assert f"razzsim resume {out}" in "".join(said.decode().split("\r\n")), said.decode()
    assert "Traceback" not in said.decode()
    check_nothing_is_left(driver, out)
    assert rows(out, "SELECT count(*) FROM failures") == [(0,)]
    check_resume(start, out, undisturbed)


def test_sigint_without_ray(start: Start, tmp_path: Path) -> None:
    out = tmp_path / "out.duckdb"
    driver = start("run", experiment(tmp_path, deals=ENDLESS, **SIX), "--local", "--out", out)
    wait_for_chunks(out, driver)
    driver.process.send_signal(signal.SIGINT)
    code, said, err = driver.end()
    kept = ["stopped: interrupted; what was played is kept", f"go on with: razzsim resume {out}"]
    assert (code, err.splitlines()[-2:]) == (130, kept)
    assert "random" in said
    check_nothing_is_left(driver, out)
    assert rows(out, "SELECT status, stop_reason FROM runs") == [("stopped", "interrupted")]


@pytest.mark.slow
def test_others_while_a_run_writes_and_sigterm(start: Start, tmp_path: Path) -> None:
    out, config = tmp_path / "out.duckdb", experiment(tmp_path, deals=ENDLESS, **SIX)
    driver = start("run", config, "--workers", 1, "--out", out)
    wait_for_chunks(out, driver, "standings")
    driver.process.send_signal(signal.SIGSTOP)  # it holds the file; the others need not share the cores with it
    for command in (("run", config, "--local", "--out", out), ("resume", out, "--local")):
        code, said, err = start(*command).end()
        assert (code, said) == (2, "")
        assert f"process {driver.process.pid}" in err, err
        assert err.count("\n") == 1
    code, said, err = start("status", out, "--json").end()
    assert code == 0, err
    status = json.loads(said)
    assert (status["being_written"], status["runs"][0]["status"]) == (True, "running")
    assert 0 < status["runs"][0]["hands"] < status["runs"][0]["hands_total"]
    code, said, err = start("query", out, "SELECT count(*) > 0 AS ok FROM standings", "--format", "csv").end()
    assert (code, said) == (0, "ok\nTrue\n"), err
    driver.process.send_signal(signal.SIGCONT)
    driver.process.send_signal(signal.SIGTERM)
    code, _, err = driver.end()
    assert (code, f"go on with: razzsim resume {out}" in err) == (143, True), err
    check_nothing_is_left(driver, out)
    assert rows(out, "SELECT sum(n_hands) FROM chunks")[0][0] >= status["runs"][0]["hands"]


@pytest.mark.slow
def test_sigkill_of_the_driver(start: Start, tmp_path: Path, undisturbed: Callable[..., Path]) -> None:
    out = tmp_path / "out.duckdb"
    driver = start("run", experiment(tmp_path, deals=DEALS, **SIX), "--workers", 1, "--out", out)
    wait_for_chunks(out, driver)
    driver.process.kill()
    driver.process.wait()
    code, said, _ = start("status", out).end()
    assert (code, "nobody plays it" in said) == (0, True), said
    check_resume(start, out, undisturbed)
    wait_for(driver.is_at_rest, "Ray ends", 20)
    assert sorted(path.name for path in tmp_path.glob("out*")) == ["out.duckdb"]


@pytest.mark.slow
def test_sigkill_of_a_worker(
    tmp_path: Path, ray_address: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run completes with the same bits; one death is counted, once for all chunks the worker held.

    It is the only worker, for one that has just come may hold none; the first commit comes at once, and kills it.
    """
    out, killed, config = tmp_path / "out.duckdb", [], experiment(tmp_path, deals=DEALS // 9, **SIX)
    undisturbed = sums(play(config, "undisturbed.duckdb").path)
    monkeypatch.setattr(open_run, "COMMIT_EVERY_S", 0.0)

    def kill(progress: Progress) -> None:
        if progress.hands and not killed:
            killed.append(a_worker())
            os.kill(killed[0], signal.SIGKILL)

    scraper = Scraper(kill)
    options = session.Options(workers=1, address=ray_address, metrics_port=0)
    run = session.run(config, out, options, scraper.watch)
    assert (run.status, len(killed), sums(out)) == ("complete", 1, undisturbed)
    assert rows(out, "SELECT DISTINCT outcome, attempt FROM failures") == [("worker_lost", 1)]
    assert rows(out, "SELECT count(*) FROM chunks WHERE attempt = 2") == rows(out, "SELECT count(*) FROM failures")
    check_counters(scraper, out)
    assert scraper.value("razzsim_worker_deaths_total") == 1
    assert (scraper.value("razzsim_in_flight_chunks"), scraper.value("razzsim_queued_chunks")) == (0, 0)
    assert capfd.readouterr().out == ""  # Ray tells of the death, but not where the answer belongs


def a_worker() -> int:
    """A Ray worker that plays for this process, not for another's cluster."""
    for stat in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if stat.read_bytes().startswith(b"ray::_Worker") and is_ours(int(stat.parent.name)):
                return int(stat.parent.name)
        except OSError:
            continue
    raise AssertionError("no worker is playing")


def is_ours(pid: int) -> bool:
    while pid > 1 and pid != os.getpid():
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return pid == os.getpid()
