"""A real run under Debian's Prometheus, with our configuration, rules and dashboards.

A worker is killed, and for some seconds all stand still: the two alerts for that fire then, and no other. What
Prometheus has at the end is what the database has. Authority: promtool for formats and rules, the database for figures.
"""

import math
import os
import signal
import subprocess
import urllib.request
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from razzsim.metrics import MetricsError
from razzsim.plan import Shard
from razzsim.runner import session
from tests.prometheus.drill import Drill
from tests.prometheus.panels import loaded, panels
from tests.prometheus.servers import DASHBOARDS, STALLED_S, Prometheus, prometheus, pushgateway
from tests.runner.helpers import experiment, play, rows

pytestmark = pytest.mark.slow


def promtool(*words: str, text: str | None = None) -> str:
    """What it says; it is content."""
    done = subprocess.run(["promtool", *words], cwd=DASHBOARDS, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_promtool_accepts_configuration_and_rules(tmp_path: Path) -> None:
    with pushgateway(tmp_path):  # installs what is missing
        pass
    promtool("check", "config", "prometheus.yml")
    assert "9 rules found" in promtool("check", "rules", "--lint=all", "--lint-fatal", "rules.yml")
    assert "SUCCESS" in promtool("test", "rules", "rules.test.yml")


def test_a_run_under_prometheus(tmp_path: Path) -> None:
    with prometheus(tmp_path) as server:
        drill = Drill(server)
        run = drill.play(tmp_path)
        assert run.status == "stopped"
        server.at = drill.times["ended"]  # a second later what was scraped is stale
        check_counters(server, run.path)
        check_alerts(drill)
        check_expressions(drill)
    assert promtool("check", "metrics", text=drill.text) == ""
    assert len([line for line in drill.text.splitlines() if not line.startswith("#")]) < 1000


def check_counters(server: Prometheus, out: Path) -> None:
    """Nothing is lost with a worker, nothing counted twice."""
    sql = "SELECT sum(n_hands), sum(n_groups), sum(n_decisions), count(*) FROM chunks"
    counted = [server.value(f"razzsim_{name}_total") for name in ("hands", "groups", "decisions")]
    assert [(*counted, server.value('razzsim_chunks_total{outcome="committed"}'))] == rows(out, sql)
    assert server.value("razzsim_deals_done") == counted[1]
    failed = dict(rows(out, "SELECT outcome, count(*) FROM failures GROUP BY outcome"))
    for outcome in ("error", "timeout", "worker_lost", "quarantined"):
        assert server.value(f'razzsim_chunks_total{{outcome="{outcome}"}}') == failed.get(outcome, 0)
    assert server.value("razzsim_worker_deaths_total") == 1
    assert server.value("razzsim_retries_total") >= failed["worker_lost"] > 0
    sql = "SELECT entrant || ' vs ' || rival, (hi_bb100 - lo_bb100) / 2 FROM head_to_head WHERE entrant < rival"
    assert server.values("razzsim_match_half_width_bb100", "match") == dict(rows(out, sql)) != {}


def check_alerts(drill: Drill) -> None:
    """Each fires while its cause lasts, and no other does. A busy machine may make a run wait before we do."""
    times, server = drill.times, drill.server
    fired = server.history('ALERTS{alertstate="firing"}', times["begun"] - 5, times["ended"])
    at = {series["labels"]["alertname"]: {t for t, _ in series["points"]} for series in fired}
    assert at.keys() == {"RazzsimWorkersLost", "RazzsimRunStalled"}
    assert min(at["RazzsimWorkersLost"]) >= times["killed"] - 1
    assert any(times["stopped"] < t <= times["continued"] + 1 for t in at["RazzsimRunStalled"])
    (waits,) = server.history("time() - razzsim_last_commit_timestamp_seconds", times["begun"] - 5, times["ended"])
    long = [t for t, seconds in waits["points"] if seconds > STALLED_S - 1]
    assert all(any(0 <= t - other < 3 for other in long) for t in at["RazzsimRunStalled"])  # rules take a second
    assert max(at["RazzsimRunStalled"]) < times["ended"]


def check_expressions(drill: Drill) -> None:
    """Every one of every dashboard returns data."""
    start, end = drill.times["begun"], drill.times["ended"]
    for uid, dashboard in loaded().items():
        for panel, queries in panels(dashboard):
            for _, expression in queries:
                found = drill.server.history(expression, start, end)
                values = [value for series in found for _, value in series["points"] if math.isfinite(value)]
                assert values, (uid, panel["title"], expression)


def pushed(gateway: str) -> list[str]:
    with urllib.request.urlopen(f"{gateway}/metrics") as answer:
        return [line for line in answer.read().decode().splitlines() if line.startswith("razzsim_hands_total")]


def test_pushed_while_it_plays_and_deleted_when_complete(tmp_path: Path) -> None:
    """What an interrupted run pushed last stays, with what it has committed. Two shards do not overwrite each other."""
    seen: list[list[str]] = []
    sent: list[int] = []
    with pushgateway(tmp_path) as gateway:

        def interrupt(progress: Any) -> None:
            seen.append(pushed(gateway))
            if progress.hands and not sent:
                sent.append(progress.hands)
                os.kill(os.getpid(), signal.SIGINT)

        options = session.Options(local=True, pushgateway=gateway)
        config, watch = experiment(tmp_path, deals=1 << 20), session.Watch(progress=interrupt)
        run = session.run(config, tmp_path / "x.duckdb", options, watch, Shard(2, 3))
        assert (run.status, bool(seen[0])) == ("stopped", True)
        (line,) = pushed(gateway)
        labels, _, value = line.rpartition(" ")
        assert float(value) == run.counts["hands"] > 0
        for label in ('job="razzsim"', f'run="{run.run_id}"', 'shard="2-of-3"', 'instance=""'):
            assert label in labels
        during: list[int] = []
        watch = session.Watch(progress=lambda progress: during.append(len(pushed(gateway))))
        small = experiment(tmp_path, "small")
        assert session.run(small, tmp_path / "small.duckdb", options, watch).status == "complete"
        assert (set(during), pushed(gateway)) == ({2}, [line])


def test_a_pushgateway_that_is_not_there(tmp_path: Path) -> None:
    """At the start it is one line, and nothing is made. Later it is told once, and the run goes on."""
    with pytest.raises(MetricsError, match=r"--pushgateway http://127.0.0.1:1: .*pushed: connection refused"):
        play(experiment(tmp_path), "x.duckdb", pushgateway="http://127.0.0.1:1")
    assert not (tmp_path / "x.duckdb").exists()
    notes: list[str] = []
    with ExitStack() as opened:
        gateway = opened.enter_context(pushgateway(tmp_path))
        options = session.Options(local=True, pushgateway=gateway)
        watch = session.Watch(notes.append, lambda progress: opened.close())
        run = session.run(experiment(tmp_path), tmp_path / "x.duckdb", options, watch)
    assert run.status == "complete"
    told = (
        f"--pushgateway {gateway}: metrics cannot be pushed: connection refused; the run goes on, and this is not told"
    )
    assert [note for note in notes if "pushgateway" in note] == [f"{told} again"]
