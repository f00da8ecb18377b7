"""Real Ray Jobs on a real head: sent, followed, refused, stopped and gone on with.

Authority: a job's numbers are those of `razzsim run --local`; its ending is what the result file holds.
"""

import json
import signal
import subprocess
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from razzsim.store import Reader, StoreError
from razzsim.store.fetch import fetch
from tests.cluster.head import PROGRAMS, Head, ray_head
from tests.runner.helpers import experiment, failing, play, rows, sums
from tests.runner.test_interrupts import DEALS, ENDLESS, SIX, wait_for
from tests.runner.test_object_storage import new_server

pytestmark = pytest.mark.slow
PATIENCE_S = 180


@pytest.fixture(scope="module")
def head() -> Iterator[Head]:
    """Its jobs find object storage by the variables of its own environment."""
    with pytest.MonkeyPatch.context() as patch:
        server = new_server(patch)
        with ray_head() as started:
            yield started
        server.stop()


def start(head: Head, *words: object) -> "subprocess.Popen[str]":
    """A program of the cluster's own environment."""
    program, *rest = map(str, words)
    pipe = subprocess.PIPE
    return subprocess.Popen([PROGRAMS / program, *rest], env=head.environment, stdout=pipe, stderr=pipe, text=True)


def submit(head: Head, config: Path, out: object, *words: object) -> "subprocess.Popen[str]":
    return start(head, "razzsim", "submit", config, "--address", head.url, "--out", out, *words)


def ended(process: "subprocess.Popen[str]") -> tuple[int, str, str]:
    said, err = process.communicate(timeout=PATIENCE_S)
    assert "Traceback" not in err, err
    return process.returncode, said, err


def stop(head: Head, job: str) -> None:
    """What `ray job stop` does, without the seconds that it takes to start."""
    with urllib.request.urlopen(head.request(f"/api/jobs/{job}/stop", "POST"), timeout=PATIENCE_S) as answer:
        assert json.load(answer) == {"stopped": True}


def wait_for_chunks(out: Path, following: "subprocess.Popen[str] | None" = None) -> None:
    """Until others can see that chunks are committed; following: who must not end before."""

    def are_there() -> bool:
        assert following is None or following.poll() is None, following.communicate()
        try:
            with Reader(out) as reader:
                return reader.is_snapshot and reader.query("SELECT 1 FROM chunks LIMIT 1").num_rows > 0
        except StoreError:
            return False

    wait_for(are_there, f"chunks in {out}", PATIENCE_S)


@contextmanager
def paused(out: Path) -> Iterator[None]:
    """The run that writes this result stands still: it cannot end meanwhile, and leaves the cores to others."""
    (run,) = (p for p in psutil.process_iter(["cmdline"]) if {"--expect", str(out)} <= set(p.info["cmdline"] or ()))
    run.suspend()
    yield
    run.resume()


def test_a_job_plays_what_this_machine_would(head: Head, tmp_path: Path) -> None:
    """A strategy above the config travels; the cluster's own copy of it is not asked for."""
    (tmp_path / "experiments").mkdir()
    station = {**failing(tmp_path, "False", "return CALL"), "strategy": "../failing.py"}
    config = experiment(tmp_path / "experiments", entrants=[station, {"strategy": "loose"}], deals=2000)
    local = play(config, "local.duckdb")
    out = tmp_path / "job.duckdb"
    code, said, err = ended(submit(head, config, out, "--json", "--workers", 2))
    assert code == 0, err
    answer = json.loads(said)
    assert answer["job_id"].startswith(f"razzsim-{local.run_id}-")
    told = [answer[name] for name in ("run_id", "job_status", "exit_code", "status", "hands")]
    assert told == [local.run_id, "SUCCEEDED", 0, "complete", 4000]
    assert sums(out) == sums(local.path)
    assert rows(out, "SELECT config FROM runs") == [(config.read_text(),)]


def test_rows_and_sums_of_a_job_go_to_object_storage(head: Head, tmp_path: Path) -> None:
    """Its workers write the rows there themselves; what is fetched is what this machine would have."""
    config = experiment(tmp_path, record="hands", batch_groups=128)
    local = play(config, "local.duckdb").path
    out = "s3://bucket/job/x.duckdb"
    code, said, err = ended(submit(head, config, out, "--json", "--workers", 2))
    assert (code, json.loads(said)["status"]) == (0, "complete"), err
    fetched, n_parts = fetch(out, tmp_path)
    assert n_parts == 2
    assert sums(fetched) == sums(local)
    of_hands = "SELECT * FROM hands ORDER BY ALL"
    assert rows(fetched, of_hands) == rows(local, of_hands) != []


def test_what_the_run_refuses_reaches_the_submitter(head: Head, tmp_path: Path) -> None:
    """Two jobs with one output: the second is told who writes it, and ends with the run's own exit code."""
    out, config = tmp_path / "out.duckdb", experiment(tmp_path, deals=ENDLESS, **SIX)
    code, said, err = ended(submit(head, config, out, "--workers", 1, "--detach", "--json"))
    assert code == 0, err
    job = json.loads(said)["job_id"]
    assert f"ray job stop --address {head.url} {job}" in err
    wait_for_chunks(out)
    with paused(out):
        code, said, err = ended(submit(head, config, out, "--json", "--log-format", "json"))
    assert (code, json.loads(said)["exit_code"]) == (2, 2), err
    events = [json.loads(line) for line in err.splitlines()]
    assert any(event["event"] == "error" and str(out) in event["message"] for event in events), err
    stop(head, job)
    ending = "SELECT status, stop_reason FROM runs"
    wait_for(lambda: rows(out, ending) == [("stopped", "interrupted")], "the stopped job's end", PATIENCE_S)


def test_a_stopped_job_keeps_what_it_played_and_another_goes_on(
    head: Head, tmp_path: Path, undisturbed: Callable[..., Path]
) -> None:
    out, config = tmp_path / "out.duckdb", experiment(tmp_path, deals=DEALS, **SIX)
    following = submit(head, config, out, "--workers", 1, "--json")
    wait_for_chunks(out, following)
    with paused(out):
        assert following.stderr is not None
        _, job, *_ = following.stderr.readline().split()  # "job JOB plays run ..."
        stop(head, job)
    code, said, err = ended(following)
    assert (code, json.loads(said)["job_status"]) == (3, "STOPPED"), err
    kept = rows(out, "SELECT line_up, first_group, worker, committed_at FROM chunks")
    assert 0 < len(kept) < -(-DEALS // 1024)
    assert json.loads(said)["chunks"] == len(kept)
    assert ended(submit(head, config, out, "--json"))[0] == 2  # says how to go on, and plays nothing
    code, said, err = ended(submit(head, config, out, "--json", "--resume"))
    assert (code, json.loads(said)["status"]) == (0, "complete"), err
    assert set(kept) < set(rows(out, "SELECT line_up, first_group, worker, committed_at FROM chunks"))
    assert sums(out) == sums(undisturbed(deals=DEALS, **SIX))


def test_ctrl_c_leaves_the_job_alone(head: Head, tmp_path: Path) -> None:
    out, config = tmp_path / "out.duckdb", experiment(tmp_path, deals=ENDLESS, **SIX)
    following = submit(head, config, out, "--workers", 1)
    wait_for_chunks(out, following)
    following.send_signal(signal.SIGINT)
    code, _, err = ended(following)
    assert code == 130, err
    (stop,) = [line.split(": ", 1)[1] for line in err.splitlines() if line.startswith("stop: ")]
    assert ended(start(head, "razzsim", "status", out))[1].count("running") == 1
    assert ended(start(head, *stop.split()))[0] == 0
    assert rows(out, "SELECT status FROM runs") == [("stopped",)]


def test_without_the_token_nothing_is_sent(head: Head, tmp_path: Path) -> None:
    stranger = Head(head.url, {**head.environment, "RAY_AUTH_TOKEN": "0" * 64})
    code, said, err = ended(submit(stranger, experiment(tmp_path), tmp_path / "out.duckdb"))
    assert (code, said) == (4, "")
    assert head.url in err
    assert not (tmp_path / "out.duckdb").exists()
