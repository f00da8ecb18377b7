"""The metrics endpoint, scraped over HTTP: its counters equal the database, also after a resume.

Names and types are those of the interface: razzsim_{hands,decisions,groups,worker_deaths}_total{run},
razzsim_chunks_total{run,outcome}, histograms razzsim_{chunk,commit}_seconds, gauges of workers and chunks. Authority:
counters are fed by committed chunks and start from the database on resume (fault G2: a resume reset the counters).
That they survive a killed worker and chunks that are given up is shown where workers are lost: runner/test_failures.py
and runner/test_interrupts.py.
"""

import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from razzsim.metrics import MetricsError
from razzsim.runner import session
from tests.runner.helpers import TABLE, experiment, failing, rows

TYPES = {
    "razzsim_hands": "counter",
    "razzsim_decisions": "counter",
    "razzsim_groups": "counter",
    "razzsim_worker_deaths": "counter",
    "razzsim_chunks": "counter",
    "razzsim_chunk_seconds": "histogram",
    "razzsim_commit_seconds": "histogram",
    "razzsim_hands_per_second": "gauge",
    "razzsim_workers": "gauge",
    "razzsim_in_flight_chunks": "gauge",
    "razzsim_queued_chunks": "gauge",
    "razzsim_last_commit_timestamp_seconds": "gauge",
    "razzsim_build_info": "gauge",
}
RANDOM = {
    "schedule": "table",
    "table": {**TABLE, "seats": 6},
    "entrants": [{"strategy": "random", "count": 5}, {"strategy": "loose"}],
    "batch_groups": 4096,
    "chunk_groups": 512,
}
VERSIONS = {"razzsim", "ray", "duckdb", "numba", "numpy", "pyarrow", "python", "engine"}
Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


class Scraper:
    """Scrapes the endpoint that a run announces, whenever the run reports progress (after a commit)."""

    def __init__(self, then: Callable[[Any], None] = lambda progress: None) -> None:
        self.url: str | None = None
        self.text, self.scraped = "", [0.0]
        self.watch = session.Watch(self._note, self._progress)
        self._then = then

    def _note(self, text: str) -> None:
        if text.startswith("metrics: "):
            self.url = text.removeprefix("metrics: ")

    def _progress(self, progress: Any) -> None:
        assert self.url is not None
        with urllib.request.urlopen(self.url) as answer:
            self.text = answer.read().decode()
        self.scraped.append(self.value("razzsim_hands_total"))
        assert self.scraped[-1] == progress.hands
        self._then(progress)

    def families(self) -> dict[str, Any]:
        return {family.name: family for family in text_string_to_metric_families(self.text)}

    def labels(self, name: str) -> list[dict[str, str]]:
        """Labels of all samples of that name."""
        families = self.families().values()
        return [sample.labels for family in families for sample in family.samples if sample.name == name]

    def value(self, name: str, **labels: str) -> float:
        """The only sample of that name with these labels."""
        found = [
            sample.value
            for family in self.families().values()
            for sample in family.samples
            if sample.name == name and labels.items() <= sample.labels.items()
        ]
        assert len(found) == 1, (name, labels, found)
        return float(found[0])


def check_counters(scraper: Scraper, out: Path) -> dict[str, int]:
    """What was scraped last is what the file holds; returns its failed tries of chunks by outcome."""
    sql = "SELECT sum(n_hands), sum(n_groups), sum(n_decisions), count(*) FROM chunks"
    counted = [scraper.value(f"razzsim_{name}_total") for name in ("hands", "groups", "decisions")]
    counted.append(scraper.value("razzsim_chunks_total", outcome="committed"))
    assert [tuple(counted)] == rows(out, sql)
    assert all(counted)
    failed = dict(rows(out, "SELECT outcome, count(*) FROM failures WHERE outcome <> 'folded' GROUP BY outcome"))
    for outcome in ("error", "timeout", "worker_lost", "quarantined"):
        assert scraper.value("razzsim_chunks_total", outcome=outcome) == failed.get(outcome, 0)
    assert scraper.scraped == sorted(scraper.scraped)
    outcomes = {labels["outcome"] for labels in scraper.labels("razzsim_chunks_total")}
    assert outcomes == {"committed", "error", "timeout", "worker_lost", "quarantined"}
    return failed


def is_open(port: int, address: str = "127.0.0.1") -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((address, port)) == 0


def test_counters_equal_the_database_through_a_resume(tmp_path: Path) -> None:
    sent = []

    def interrupt(progress: Any) -> None:
        if not sent:
            sent.append(progress.hands)
            os.kill(os.getpid(), signal.SIGINT)

    out, options = tmp_path / "x.duckdb", session.Options(local=True, metrics_port=0)
    first = Scraper(interrupt)
    run = session.run(experiment(tmp_path, deals=150_000, **RANDOM), out, options, first.watch)
    assert run.status == "stopped"
    check_counters(first, out)
    second = Scraper()
    run = session.resume(out, options, second.watch)
    assert run.status == "complete"
    assert second.scraped[1] >= first.scraped[-1] > 0
    check_counters(second, out)
    assert second.value("razzsim_hands_total", run=run.run_id) == 900_000
    assert {name: family.type for name, family in second.families().items() if name in TYPES} == TYPES
    assert all("_created" in name or name in TYPES for name in second.families())
    assert all(family.documentation for family in second.families().values() if family.name in TYPES)
    labels = {label for family in second.families().values() for sample in family.samples for label in sample.labels}
    assert labels - {"le", "outcome", "state"} == VERSIONS | {"run"}
    assert second.url is not None
    assert not is_open(int(second.url.rsplit(":", 1)[1].partition("/")[0]))


@pytest.mark.slow
@pytest.mark.parametrize(("on_error", "deals"), [("stop_line_up", 4_000_000), ("fold", 600_000)])
def test_failures_of_strategies_are_counted_through_a_resume(on_error: str, deals: int, tmp_path: Path) -> None:
    """Two of three line-ups fail: two errors, and what others play goes on. What is folded is no failed chunk."""
    when = "table.street == 7 and me.cards[0] == 12 and me.cards[6] == 51"
    entrants = [{"strategy": "station"}, {"strategy": "tight"}, failing(tmp_path, when, "return 7")]
    keys = {"schedule": "round_robin", "entrants": entrants, "batch_groups": 4096, "chunk_groups": 512}
    config = experiment(tmp_path, deals=deals, on_error=on_error, **keys)
    sent = []

    def interrupt(progress: Any) -> None:
        if not sent and progress.hands > 500_000:
            sent.append(progress.hands)
            os.kill(os.getpid(), signal.SIGINT)

    out, options = tmp_path / "x.duckdb", session.Options(local=True, metrics_port=0)
    first = Scraper(interrupt)
    run = session.run(config, out, options, first.watch)
    assert (run.status, len(sent)) == ("stopped", 1)
    expected = {"error": 2} if on_error == "stop_line_up" else {}
    assert check_counters(first, out) == expected
    second = Scraper()
    run = session.resume(out, options, second.watch)
    assert run.status == ("failed" if expected else "complete")
    assert second.scraped[1] >= first.scraped[-1] > 0
    again = check_counters(second, out)
    assert again.keys() == expected.keys()
    assert all(again[outcome] >= count for outcome, count in expected.items())
    folded = rows(out, "SELECT count(*) > 100 FROM failures WHERE outcome = 'folded'")
    assert folded == [(on_error == "fold",)]


def test_a_port_in_use_is_one_line_and_leaves_nothing(tmp_path: Path) -> None:
    config, out = experiment(tmp_path), tmp_path / "x.duckdb"
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        command = [str(Path(sys.executable).with_name("razzsim")), "run", str(config), "--local", "--out", str(out)]
        ended = subprocess.run([*command, "--metrics-port", str(port)], capture_output=True, text=True, check=False)
        assert (ended.returncode, ended.stdout) == (4, "")
        assert ended.stderr == f"--metrics-port {port}: cannot be served on 127.0.0.1: address already in use\n"
        with pytest.raises(MetricsError, match="address already in use"):
            session.run(config, out, session.Options(local=True, metrics_port=port))
    assert not out.exists()


def test_it_listens_only_when_asked_and_only_on_this_machine(tmp_path: Path) -> None:
    listening: list[set[int]] = []
    before = _listening()
    watch = session.Watch(progress=lambda progress: listening.append(_listening() - before))
    session.run(experiment(tmp_path), tmp_path / "a.duckdb", session.Options(local=True), watch)
    assert listening and not any(listening)
    scraper = Scraper(lambda progress: listening.append(_listening() - before))
    session.run(experiment(tmp_path), tmp_path / "b.duckdb", session.Options(local=True, metrics_port=0), scraper.watch)
    assert scraper.url is not None and scraper.url.startswith("http://127.0.0.1:")
    port = int(scraper.url.rsplit(":", 1)[1].partition("/")[0])
    assert listening[-1] == {("0100007F", port)}  # 127.0.0.1 and nothing else
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(scraper.url)


def _listening() -> set[Any]:
    """Sockets of this process that listen: address in hex and port."""
    own = {os.readlink(fd) for fd in _links(Path("/proc/self/fd"))}
    found = set()
    for name in ("tcp", "tcp6"):
        for line in Path(f"/proc/self/net/{name}").read_text().splitlines()[1:]:
            _, local, _, state, *rest = line.split()
            if state == "0A" and f"socket:[{rest[5]}]" in own:
                address, _, port = local.partition(":")
                found.add((address, int(port, 16)))
    return found


def _links(folder: Path) -> list[Path]:
    return [link for link in folder.iterdir() if link.is_symlink()]
