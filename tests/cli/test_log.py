"""Proves that with --log-format json every line on stderr is one object with time, level, event, words and run."""

import json
import subprocess
import sys
from datetime import datetime, timedelta

from tests.cli.conftest import call
from tests.runner.helpers import experiment, failing, play_interrupted, rows


def events(answer):
    """What was logged; nothing else may be on stderr."""
    told = [json.loads(line) for line in answer.err.splitlines()]
    for event in told:
        assert list(event)[:4] == ["ts", "level", "event", "message"]
        assert datetime.fromisoformat(event["ts"]).utcoffset() == timedelta(0)
    return told


def of(kind, told):
    return [event for event in told if event["event"] == kind]


def test_commits_and_the_end(folder):
    answer = call("run", "tiny.yaml", "--out", "logged.duckdb", "--local", "--log-format", "json", cwd=folder)
    assert answer.code == 0
    told = events(answer)
    (run,) = {event["run"] for event in told}
    assert rows(folder / "logged.duckdb", "SELECT run_id FROM runs") == [(run,)]
    commits = of("commit", told)
    assert sum(event["n_hands"] for event in commits) == 400
    keys = set(rows(folder / "logged.duckdb", "SELECT line_up, first_group FROM chunks"))
    assert {(event["line_up"], event["first_group"]) for event in commits} <= keys
    assert sum(event["n_chunks"] for event in commits) == len(keys)
    (end,) = of("ended", told)
    assert (end["status"], end["chunks"], end["hands"]) == ("complete", len(keys), 400)
    assert "rank" in answer.out


def test_a_failing_strategy(tmp_path):
    """What the worker saw, with the chunk it happened in; notes and the way on are objects too."""
    entrants = [failing(tmp_path, "table.street == 5", "return 99"), {"strategy": "loose"}]
    config = experiment(tmp_path, entrants=entrants)
    answer = call("run", config, "--out", tmp_path / "out.duckdb", "--local", "--log-format", "json")
    assert answer.code == 3
    told = events(answer)
    (failure,) = of("failure", told)
    assert failure["level"] == "warning"
    stored = rows(tmp_path / "out.duckdb", "SELECT line_up, first_group, deal, seat, outcome FROM failures")
    assert [tuple(failure[name] for name in ("line_up", "first_group", "deal", "seat", "outcome"))] == stored
    assert any("repair the strategy" in event["message"] for event in of("note", told))


def test_errors_and_text(folder):
    words = ("run", "tiny.yaml", "--out", "/no/such/folder/out.duckdb", "--local")
    answer = call(*words, "--log-format", "json", cwd=folder)
    (error,) = events(answer)
    assert (answer.code, error["level"], error["event"]) == (2, "error", "error")
    assert call(*words, cwd=folder).error == error["message"]  # the next command of this process writes text again


def test_run_goes_on_when_told_to(tmp_path):
    config = experiment(tmp_path, deals=20_000, batch_groups=4096, chunk_groups=512)
    interrupted = play_interrupted(config, "out.duckdb", after_hands=1)
    assert interrupted.status == "stopped"
    words = ("run", config, "--out", interrupted.path, "--local")
    refused = call(*words)
    assert (refused.code, "razzsim resume" in refused.error) == (2, True)
    assert call(*words, "--resume").code == 0
    assert rows(interrupted.path, "SELECT status, attempt FROM runs") == [("complete", 2)]
    assert call(*words, "--resume").code == 0  # complete: nothing to do


def test_run_refuses_to_be_another_run(folder):
    answer = call("run", "tiny.yaml", "--out", "never.duckdb", "--local", "--expect", "0123456789ab", cwd=folder)
    assert answer.code == 2
    assert "not 0123456789ab" in answer.error
    assert not (folder / "never.duckdb").exists()


WARNS = """
import logging
from razzsim import events
events.tell("lost", "nobody asked for this", logging.WARNING)
logging.getLogger("razzsim.store.reader").warning("brought up to date")
"""


def test_warnings_are_seen_though_nobody_listens_to_events():
    """A file that was brought to another version, a cache in another place: one line each, without a listener."""
    told = subprocess.run([sys.executable, "-c", WARNS], capture_output=True, text=True, check=True)
    assert (told.stdout, told.stderr) == ("", "brought up to date\n")
