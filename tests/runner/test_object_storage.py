"""Results in object storage: the same numbers and rows as in a file, one driver at a time, nothing half.

A real server of the S3 protocol on 127.0.0.1, asked through Arrow as any other. Authority: law 1 (an interruption
changes no number) and law 3 (a chunk counts once); a driver that was given up must not overwrite what came after it.
"""

import os
import re
import signal
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from moto.server import ThreadedMotoServer

from razzsim.runner import session
from razzsim.runner.session import Options, Watch
from razzsim.store import DiskError, HeldError, Reader, StoreError, objects
from razzsim.store.errors import TakenOverError
from razzsim.store.fetch import fetch
from razzsim.store.lease import Lease
from tests.cli.conftest import call
from tests.runner.helpers import Rows, experiment, play, rows, sums
from tests.runner.test_interrupts import SIX, Driver, Start, start, wait_for

__all__ = ["start"]  # a fixture

LOCAL = Options(local=True)
ROWS = {level: f"SELECT * FROM {level} ORDER BY ALL" for level in ("groups", "hands")}


def new_server(patch: pytest.MonkeyPatch) -> ThreadedMotoServer:
    """A server with a bucket named `bucket`, and the variables that lead there."""
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    endpoint = "http://{}:{}".format(*server.get_host_and_port())
    values = {"ENDPOINT_URL": endpoint, "ACCESS_KEY_ID": "x", "SECRET_ACCESS_KEY": "x", "REGION": "us-east-1"}
    for name, value in values.items():
        patch.setenv(f"AWS_{name}", value)
    with urllib.request.urlopen(urllib.request.Request(f"{endpoint}/bucket", method="PUT")):
        return server


@pytest.fixture(scope="module", autouse=True)
def storage() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        server = new_server(patch)
        yield
        server.stop()


@pytest.fixture
def uri(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A result of the test's own; private copies lie in a folder of its own too."""
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    return f"s3://bucket/{re.sub(r'[^a-z_]', '', request.node.name)}/x.duckdb"


def lying(uri: str) -> list[str]:
    """Names of the objects that belong to a result, the parts aside."""
    return objects.names(uri.rpartition("/")[0])


def all_rows(path: Path) -> list[Rows]:
    return [rows(path, sql) for sql in ROWS.values()]


def test_a_recorded_run_equals_the_one_in_a_file(uri: str, tmp_path: Path) -> None:
    config = experiment(tmp_path, record="hands", batch_groups=128)
    ours = play(config, "ours.duckdb").path
    run = session.run(config, uri, LOCAL)
    assert (run.out, run.status, lying(uri)) == (uri, "complete", ["x.attempt", "x.duckdb"])
    assert sums(run.path) == sums(ours)
    path, n_parts = fetch(uri, tmp_path)
    assert (path, n_parts) == (tmp_path / "x.duckdb", 2)  # put together: one a level
    assert sorted(objects.names(uri.replace(".duckdb", ".parts"))) == sorted(
        file.name for file in (tmp_path / "x.parts").iterdir()
    )
    assert (sums(path), all_rows(path)) == (sums(ours), all_rows(ours))
    assert rows(path, "SELECT DISTINCT path LIKE '/%/x.parts/%' FROM parts") == [(True,)]
    del run
    assert list((tmp_path / "scratch").iterdir()) == []


def test_what_is_large_is_uploaded_in_parts(uri: str) -> None:
    """And is there when all of them are: such an object's tag ends with their number."""
    content = os.urandom(12 << 20)
    objects.write(uri, content)
    assert objects.read(uri) == content
    url = f"{os.environ['AWS_ENDPOINT_URL']}/{objects.path_of(uri)}"
    with urllib.request.urlopen(urllib.request.Request(url, method="HEAD")) as answer:
        assert re.fullmatch(r'"[0-9a-f]{32}-2"', answer.headers["ETag"])


def test_a_result_that_is_there_is_treated_as_a_file(uri: str, tmp_path: Path) -> None:
    heard: list[str] = []
    first = session.run(experiment(tmp_path), uri, LOCAL)
    again = session.run(experiment(tmp_path), uri, LOCAL, Watch(heard.append))
    assert heard == [f"{uri}: run {first.run_id} is already complete"]
    assert sums(again.path) == sums(first.path)
    with pytest.raises(StoreError, match=rf"^{uri}: holds another run, {first.run_id}; what differs: seed; choose"):
        session.run(experiment(tmp_path, seed=1), uri, LOCAL)
    fetch(uri, tmp_path)
    with pytest.raises(StoreError, match=r"x\.duckdb: exists already: move it away"):
        fetch(uri, tmp_path)


@pytest.mark.slow
def test_an_interrupted_run_goes_on(uri: str, tmp_path: Path) -> None:
    config = experiment(tmp_path, record="groups", deals=1 << 14, batch_groups=512, snapshot_s=0.5)
    ours, sent = play(config, "ours.duckdb").path, []

    def interrupt(progress: object) -> None:
        if not sent:
            sent.append(lying(uri))
            os.kill(os.getpid(), signal.SIGINT)

    stopped = session.run(config, uri, LOCAL, Watch(progress=interrupt))
    assert (stopped.status, sent) == ("stopped", [["x.attempt", "x.snapshot.duckdb"]])
    assert lying(uri) == ["x.attempt", "x.duckdb"]
    with pytest.raises(session.UnfinishedError, match=f"go on with: razzsim resume {uri}"):
        session.run(config, uri, LOCAL)
    kept = set(rows(stopped.path, "SELECT line_up, first_group, committed_at FROM chunks"))
    resumed = session.resume(uri, LOCAL)
    assert (resumed.status, lying(uri)) == ("complete", ["x.attempt", "x.duckdb"])
    assert 0 < len(kept) < 32
    assert kept < set(rows(resumed.path, "SELECT line_up, first_group, committed_at FROM chunks"))
    path, _ = fetch(uri, tmp_path)
    assert (sums(path), rows(path, ROWS["groups"])) == (sums(ours), rows(ours, ROWS["groups"]))


def lease_of(uri: str) -> Lease:
    return Lease(uri, uri.replace(".duckdb", ".attempt"), 1)


def test_two_drivers(uri: str, tmp_path: Path) -> None:
    """Of which the second is refused as long as the first lives; when it has taken over, the first stops."""
    first, second = lease_of(uri), lease_of(uri)
    first.take()
    held = rf"^{uri}: is written by \S+ {os.getpid()} since .* UTC, heard of \d s ago: choose another --out, or, if"
    for refused in (lambda: session.run(experiment(tmp_path), uri, LOCAL), lambda: session.resume(uri), second.take):
        with pytest.raises(HeldError, match=held):
            refused()
    first.check()
    first.release()
    second.take()
    with pytest.raises(TakenOverError, match=rf"^{uri}: another driver took over: \S+ {os.getpid()} at .* UTC"):
        first.check()
    second.check()


def test_who_was_taken_over_uploads_nothing_more(uri: str, tmp_path: Path) -> None:
    seen, other = {}, f"s3://bucket/other/{tmp_path.name}.duckdb"
    lease_of(other).take()
    attempt = objects.read(other.replace(".duckdb", ".attempt"))

    def content() -> dict[str, bytes | None]:
        return {name: objects.read(f"{uri.rpartition('/')[0]}/{name}") for name in lying(uri) if "duckdb" in name}

    def take_over(progress: object) -> None:
        """Again and again, for a sign of life of the first driver's may come right after it."""
        objects.write(uri.replace(".duckdb", ".attempt"), attempt)
        seen.update(content())

    config = experiment(tmp_path, deals=1 << 40, batch_groups=512, snapshot_s=0.5)
    with pytest.raises(TakenOverError, match="another driver took over"):
        session.run(config, uri, LOCAL, Watch(progress=take_over))
    assert list(seen) == ["x.snapshot.duckdb"]
    assert seen == content()


def test_a_lease_is_stale_when_its_driver_is_silent(uri: str) -> None:
    lease = lease_of(uri)
    with lease.held():
        time.sleep(2.5)
        with pytest.raises(HeldError, match=r"heard of [01] s ago"):
            lease_of(uri).take()
    lease_of(uri).take()


def test_commands_about_object_storage(uri: str, tmp_path: Path) -> None:
    run = session.run(experiment(tmp_path, record="groups", batch_groups=512), uri, LOCAL)
    answer = call("status", uri)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith(f"run {run.run_id} x: complete")
    answer = call("query", uri, "SELECT count(*) AS n FROM standings", "--format", "csv")
    assert (answer.code, answer.out, answer.err) == (0, "n\n2\n", "")
    assert "of 1 parts missing, the first is s3://bucket/" in call("query", uri, "FROM groups").error
    for command in (("report", uri), ("export", uri, "x"), ("hand", "show", uri, "--deal", "1"), ("label", uri, "x")):
        answer = call(*command, cwd=tmp_path)
        assert (answer.code, answer.error) == (2, f"{uri}: lies in object storage: copy it with razzsim fetch first")
    answer = call("fetch", uri, tmp_path)
    assert (answer.code, answer.out) == (0, f"{tmp_path}/x.duckdb: fetched, with 1 files of rows\n")
    assert call("query", "x.duckdb", "FROM groups LIMIT 1", cwd=tmp_path).code == 0
    assert call("fetch", "x.duckdb").error.endswith(
        "Invalid value for URI: x.duckdb is not allowed: s3://BUCKET/KEY.duckdb"
    )


@pytest.mark.parametrize("command", ["status", "resume", "fetch"])
def test_what_is_not_there(command: str, uri: str) -> None:
    answer = call(command, uri)
    assert (answer.code, answer.error) == (2, f"{uri}: there is no such result, nor a snapshot of one")


def test_what_is_no_result(uri: str, tmp_path: Path) -> None:
    objects.write(uri, b"not a database")
    for command in (("status", uri), ("fetch", uri), ("run", experiment(tmp_path), "--local", "--out", uri)):
        answer = call(*command)
        assert (answer.code, answer.error) == (2, f"{uri}: is not a DuckDB file")
    assert objects.read(uri) == b"not a database"


@pytest.mark.parametrize("wrong", ["s3://bucket", "s3://bucket/x", "s3://bucket/.duckdb", "s3://b/x.snapshot.duckdb"])
def test_names_that_no_result_can_have(wrong: str, tmp_path: Path) -> None:
    answer = call("run", experiment(tmp_path), "--local", "--out", wrong)
    assert (answer.code, answer.error) == (2, f"{wrong}: is not allowed: s3://BUCKET/KEY.duckdb")


def test_a_bucket_that_is_not_there(tmp_path: Path) -> None:
    answer = call("run", experiment(tmp_path), "--local", "--out", "s3://other/x.duckdb")
    assert answer.code == 4
    assert re.match(r"s3://other/x.attempt: cannot be reached: .*NO_SUCH_BUCKET", answer.error)


@pytest.mark.slow
def test_what_cannot_be_uploaded_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(objects, "_TRIES", 2)  # each request that fails takes seconds of waiting by then
    server, ended = new_server(monkeypatch), []

    def end(progress: object) -> None:
        if not ended:
            ended.append(True)
            server.stop()

    config = experiment(tmp_path, deals=1 << 40, batch_groups=512, snapshot_s=0.5)
    with pytest.raises(DiskError, match=r"cannot be reached: .*; what was played is kept in .*/x\.duckdb$") as error:
        session.run(config, "s3://bucket/x.duckdb", LOCAL, Watch(progress=end))
    kept = Path(str(error.value).rpartition("kept in ")[2])
    del error
    assert rows(kept, "SELECT sum(n_hands) > 0 FROM chunks") == [(True,)]
    answer = call("status", "s3://bucket/x.duckdb")
    assert (answer.code, "cannot be reached" in answer.error) == (4, True)


def stop_while_recording(uri: str, driver: Driver) -> None:
    """Have the driver stand still when its snapshot has chunks: looked at while it plays, it could end meanwhile."""

    def is_recording() -> bool:
        assert driver.process.poll() is None, driver.end()
        if "x.snapshot.duckdb" not in lying(uri):
            return False
        looked = time.monotonic()
        driver.process.send_signal(signal.SIGSTOP)
        answer = call("query", uri, "SELECT count(*) AS n FROM chunks", "--format", "csv")
        if answer.code == 0 and int(answer.out.split()[1]) > 0:
            return True
        driver.process.send_signal(signal.SIGCONT)
        time.sleep(time.monotonic() - looked)  # it plays at least half of the time, however long a look takes
        return False

    wait_for(is_recording, "chunks in the snapshot")


KILLED = {**SIX, "record": {"level": "groups", "sample": 0.05}, "chunk_groups": 4096, "deals": 600_000}
STALE_S = 7.5
"""Six signs of life, one a second, and the server's clock tells seconds."""


def ended(driver: Driver) -> tuple[int, str]:
    """Exit code and what it said; many small requests to a server in this process take a while."""
    _, err = driver.process.communicate(timeout=240)
    return driver.process.returncode, err


@pytest.mark.slow
def test_sigkill_of_the_driver(start: Start, uri: str, tmp_path: Path, undisturbed: Callable[..., Path]) -> None:
    ours = undisturbed(**KILLED)
    driver = start("run", experiment(tmp_path, **KILLED), "--workers", 1, "--out", uri)
    stop_while_recording(uri, driver)
    driver.process.kill()
    stale = time.monotonic() + STALE_S
    driver.process.wait()
    code, err = ended(start("resume", uri, "--local"))
    assert (code, f"is written by {os.uname().nodename} {driver.process.pid}" in err) == (2, True), err
    assert lying(uri) == ["x.attempt", "x.snapshot.duckdb"]
    wait_for(driver.is_at_rest, "its workers end")  # what they still write would come after the sweeping
    time.sleep(max(0.0, stale - time.monotonic()))
    code, err = ended(start("resume", uri, "--workers", 1))
    assert code == 0, err
    path, _ = fetch(uri, tmp_path)
    assert (sums(path), all_rows(path)) == (sums(ours), all_rows(ours))
    assert sorted(objects.names(uri.replace(".duckdb", ".parts"))) == sorted(
        Path(part).name for (part,) in rows(path, "SELECT path FROM parts")
    )


@pytest.mark.slow
def test_a_driver_that_wakes_up_late(start: Start, uri: str, tmp_path: Path, undisturbed: Callable[..., Path]) -> None:
    """Its lease went stale while it slept; another has played the run to its end."""
    ours = undisturbed(**KILLED)
    driver = start("run", experiment(tmp_path, **KILLED), "--local", "--out", uri)
    stop_while_recording(uri, driver)
    time.sleep(STALE_S)
    other = start("resume", uri, "--local")
    code, err = ended(other)
    assert code == 0, err
    driver.process.send_signal(signal.SIGCONT)
    code, err = ended(driver)
    assert code == 3
    assert re.search(rf"^{uri}: another driver took over: \S+ {other.process.pid} at .* UTC; stopped$", err, re.M), err
    path, _ = fetch(uri, tmp_path)
    assert (sums(path), all_rows(path)) == (sums(ours), all_rows(ours))
    with Reader(path) as reader:
        assert reader.run_row()["attempt"] == 2
