"""Proves, without a cluster, what travels, what is refused before anything does, and how a job is judged."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from razzsim.plan import ConfigError, plan_from_file
from razzsim.plan.parcel import pack
from razzsim.runner.session import Options
from razzsim.runner.submit import JobEnd, command, committed, verdict
from tests.cli.conftest import call
from tests.runner.helpers import experiment, failing, play

ADDRESS = ("--address", "http://127.0.0.1:9")


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_what_travels_is_the_same_run(tmp_path):
    """Two files of one name in different folders, one above the config, and one that ships."""
    here, packed = tmp_path / "work", tmp_path / "packed"
    for folder in (here / "configs", here / "mine", packed):
        folder.mkdir(parents=True)
    above, beside = failing(here / "mine", "False", "return CALL"), failing(here / "configs", "True", "return CALL")
    (here / "configs" / "secret.txt").write_text("stays")
    entrants = [{**above, "name": "a", "strategy": "../mine/failing.py:failing"}, {**beside, "name": "b"}]
    config = experiment(here / "configs", schedule="round_robin", entrants=[*entrants, {"strategy": "tight"}])
    plan = plan_from_file(config)
    name = pack(config, plan, packed)
    assert files(packed) == {"configs/x.yaml", "configs/failing.py", "mine/failing.py"}
    assert plan_from_file(packed / name) == plan
    assert (packed / name).read_bytes() == config.read_bytes()


def test_an_absolute_strategy_does_not_travel(tmp_path):
    entrant = failing(tmp_path, "False", "return CALL")
    entrant["strategy"] = str(tmp_path / "failing.py")
    config = experiment(tmp_path, entrants=[entrant, {"strategy": "tight"}])
    packed = tmp_path / "packed"
    with pytest.raises(
        ConfigError, match=r"x\.yaml:\d+:\d+: entrants\[0\].strategy: .* a path from this file's folder"
    ):
        pack(config, plan_from_file(config), packed)
    assert not packed.exists()


def test_a_change_between_reading_and_packing_is_noticed(tmp_path):
    config = experiment(tmp_path, entrants=[failing(tmp_path, "False", "return CALL"), {"strategy": "tight"}])
    plan = plan_from_file(config)
    failing(tmp_path, "table.street == 9", "return CALL")
    with pytest.raises(ConfigError, match="changed meanwhile"):
        pack(config, plan, tmp_path / "packed")


def test_the_job_runs_a_command_that_we_have(tmp_path):
    plan = plan_from_file(experiment(tmp_path))
    options = Options(workers=7, metrics_port=9100, resume=True, pushgateway="http://127.0.0.1:9091")
    words = shlex.split(shlex.join(command(Path("a b/x.yaml"), plan, "/shared/it's.duckdb", options)))
    assert words[:5] == ["razzsim", "run", "a b/x.yaml", "--address", "auto"]
    assert words[words.index("--out") + 1] == "/shared/it's.duckdb"
    assert words[words.index("--expect") + 1] == plan.run_id
    assert words[words.index("--pushgateway") + 1] == "http://127.0.0.1:9091"
    assert {"--resume", "--workers", "--metrics-port"} <= set(words)


@pytest.mark.parametrize(
    ("status", "exit_code", "groups", "code"),
    [
        ("SUCCEEDED", 0, 8, 0),
        ("SUCCEEDED", 0, 9, 0),  # it was given more deals before
        ("SUCCEEDED", 0, 7, 3),  # the log may say what it will
        ("SUCCEEDED", 0, None, 3),
        ("FAILED", 2, None, 2),
        ("FAILED", 3, 5, 3),
        ("FAILED", 4, 5, 4),
        ("FAILED", 143, 5, 3),
        ("FAILED", 127, None, 4),  # no such program on the head
        ("FAILED", -9, 5, 4),
        ("FAILED", None, None, 4),  # the node went
        ("STOPPED", None, 5, 3),
    ],
)
def test_a_job_is_judged_by_its_status_and_its_deals(status, exit_code, groups, code):
    assert verdict(JobEnd(status, exit_code, ""), groups, 8) == code


def test_the_output_is_looked_at_if_it_can_be_seen(tmp_path):
    run = play(experiment(tmp_path), "out.duckdb")
    found = committed(str(run.path), run.run_id)
    assert (found.status, found.groups, found.hands) == ("complete", 500, 1000)
    assert committed(str(run.path), "another run") is None
    assert committed(str(tmp_path / "elsewhere.duckdb"), run.run_id) is None
    assert committed("s3://bucket/out.duckdb", run.run_id) is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--address", "http://127.0.0.1:9", "--out", "out.duckdb"), "'out.duckdb' is not allowed: an absolute path"),
        (("--address", "head:6379", "--out", "/tmp/out.duckdb"), "'head:6379' is not allowed: http://HOST:8265"),
        (("--out", "/tmp/out.duckdb"), "--address"),
    ],
)
def test_what_is_refused_before_anything_is_sent(folder, options, said):
    answer = call("submit", "tiny.yaml", *options, cwd=folder)
    assert answer.code == 2
    assert said in answer.error


def test_a_wrong_experiment_is_refused_here(tmp_path):
    config = experiment(tmp_path, deals=0)
    answer = call("submit", config, *ADDRESS, "--out", "/tmp/out.duckdb")
    assert answer.code == 2
    assert "deals: 0 is not allowed" in answer.error


def test_nobody_listens_there(folder):
    answer = call("submit", "tiny.yaml", *ADDRESS, "--out", "/tmp/out.duckdb", cwd=folder)
    assert answer.code == 4
    assert answer.error.startswith("http://127.0.0.1:9: is not answered by Ray Jobs: ")


def test_without_the_extra_it_says_what_to_install(folder):
    script = """
import sys
sys.modules["aiohttp"] = None
from razzsim.cli.app import main
main(["submit", "tiny.yaml", "--address", "http://127.0.0.1:9", "--out", "/tmp/out.duckdb"])
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (4, "submitting needs more of Ray: pip install 'razzsim[cluster]'\n")
