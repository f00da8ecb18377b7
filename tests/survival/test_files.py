"""Files in other hands: a snapshot that somebody spoils, a result that somebody reads while it is to be written."""

import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import Timer
from typing import Any

import psutil
import pytest

from razzsim.store import Writer
from tests.runner.helpers import experiment, rows
from tests.runner.test_interrupts import DEALS, ENDLESS, SIX, Driver, Start, wait_for, wait_for_chunks
from tests.survival.watched import PATIENCE_S, check_nothing_is_left, check_played_again, check_tables

pytestmark = pytest.mark.slow
SPOILS = ("cut", "emptied", "overwritten", "overwritten from somewhere")


def spoil(snapshot: Path, how: str, draw: random.Random) -> None:
    """As a disk or another program does; where, is drawn."""
    size = snapshot.stat().st_size
    place = draw.randrange(size) if how in ("cut", "overwritten from somewhere") else 0
    print(f"{how} at {place} of {size}")
    with snapshot.open("r+b") as file:
        file.seek(place)
        if how.startswith("overwritten"):
            file.write(draw.randbytes(size - place))
        else:
            file.truncate(place)


def test_a_spoilt_snapshot_is_told_and_replaced(start: Start, tmp_path: Path, draw: random.Random) -> None:
    """Readers get an answer or one line; the run does not care, and writes the next one whole."""
    out, snapshot = tmp_path / "out.duckdb", tmp_path / "out.snapshot.duckdb"
    config = experiment(tmp_path, deals=ENDLESS, **SIX)
    run = start("run", config, "--local", "--out", out)
    wait_for_chunks(out, run)
    for how in SPOILS:
        run.process.send_signal(signal.SIGSTOP)  # the reader is to find what was spoilt, however long it takes
        before = snapshot.stat().st_ino
        spoil(snapshot, how, draw)
        code, said, err = start("query", out, "SELECT sum(net_sq) AS x FROM group_sums", "--format", "csv").end()
        run.process.send_signal(signal.SIGCONT)
        if code == 0:  # what the question needs was left
            assert (said.count("\n"), err) == (2, "")
        else:
            assert (code, said, err.count("\n")) == (2 if "held open" in err else 4, "", 1), err
            assert str(snapshot) in err
        assert code or how.endswith("somewhere") or how == "cut"
        wait_for(partial(is_replaced, snapshot, before, run), "the next snapshot")
        assert rows(out, "SELECT count(*) > 0 FROM chunks") == [(True,)]
    run.process.send_signal(signal.SIGTERM)
    assert run.end()[0] == 143
    check_nothing_is_left(run, out)
    check_played_again(out, config)


def is_replaced(snapshot: Path, inode: int, run: Driver) -> bool:
    """Whether there is another file of that name; the run must not end before."""
    assert run.process.poll() is None, run.end()
    return snapshot.stat().st_ino != inode


HOLDERS: dict[str, list[str]] = {
    "python": [
        sys.executable,
        "-c",
        "import duckdb, sys; c = duckdb.connect(sys.argv[1], read_only=True); print(1, flush=True); sys.stdin.read()",
    ],
    "command line": [str(Path(sys.executable).with_name("duckdb")), "-readonly", "-csv", "-noheader"],
}


@pytest.fixture
def unfinished(start: Start, tmp_path: Path) -> Path:
    """A result that was stopped."""
    out = tmp_path / "out.duckdb"
    driver = start("run", experiment(tmp_path, deals=DEALS, **SIX), "--local", "--out", out)
    wait_for_chunks(out, driver)
    driver.process.send_signal(signal.SIGTERM)
    assert driver.end()[0] == 143
    return out


@pytest.fixture(params=HOLDERS)
def holder(request: pytest.FixtureRequest, unfinished: Path) -> Iterator["subprocess.Popen[str]"]:
    """Another program that has the result open to read it, until its input ends."""
    command = [*HOLDERS[request.param], str(unfinished)]
    process = subprocess.Popen(command, stdin=-1, stdout=-1, text=True, bufsize=1)
    assert process.stdin and process.stdout
    if request.param == "command line":
        process.stdin.write("SELECT 1;\n")
        process.stdin.flush()
    assert process.stdout.readline() == "1\n"
    yield process
    let_go(process)


def let_go(holder: "subprocess.Popen[str]") -> None:
    """It ends with its input."""
    assert holder.stdin
    holder.stdin.close()
    holder.wait(PATIENCE_S)


def test_a_reader_that_holds_the_file_is_named(
    holder: "subprocess.Popen[str]", unfinished: Path, start: Start, undisturbed: Callable[..., Path]
) -> None:
    """Whoever wants to write is refused before anything happens; when the reader has gone, it works."""
    wants: dict[str, tuple[Any, ...]] = {
        "resume": ("resume", unfinished, "--local"),
        "label": ("label", unfinished, "mine"),
        "materialize": ("materialize", unfinished, "--level", "hands", "--deals", "0:2000"),
    }
    before = unfinished.read_bytes()
    programs = [holder.pid, *(child.pid for child in psutil.Process(holder.pid).children())]  # one may start the other
    words_for = {f"{unfinished}: is held open by process {pid}\n" for pid in programs}
    for words in wants.values():
        code, said, err = start(*words).end()
        assert (code, said) == (2, ""), words
        assert err in words_for
    assert unfinished.read_bytes() == before
    assert [path.name for path in unfinished.parent.glob("out*")] == ["out.duckdb"]
    code, said, _ = start("status", unfinished).end()  # readers do not mind each other
    assert (code, "stopped" in said) == (0, True)
    let_go(holder)
    for words in reversed(wants.values()):
        driver: Driver = start(*words)
        assert driver.end()[0] == 0, words
    check_tables(unfinished, undisturbed(deals=DEALS, **SIX), "hands")


@pytest.mark.parametrize("holder", ["python"], indirect=True)
def test_a_short_look_refuses_nobody(holder: "subprocess.Popen[str]", unfinished: Path) -> None:
    """`status` holds the file for a moment: who wants to write then waits for it."""
    assert holder.stdin
    ((run_id,),) = rows(unfinished, "SELECT run_id FROM runs")
    ends = Timer(0.2, holder.stdin.close)
    ends.start()
    with closing(Writer.open(unfinished, run_id)) as writer:
        assert writer.totals()["hands"] > 0
