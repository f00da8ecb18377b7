"""The metrics endpoint, scraped over HTTP: its counters equal the database, also after a resume.

Names and types are those of the interface: razzsim_{hands,decisions,groups,rows,worker_deaths}_total{run},
razzsim_chunks_total{run,outcome}, histograms razzsim_{chunk,commit}_seconds, gauges of workers, chunks and matches.
Authority: the client library's own parser, promtool (prometheus/test_prometheus.py); counters are fed by committed
chunks and start from the database on resume (fault G2: a resume reset the counters). That they survive a killed worker
and chunks that are given up is shown where workers are lost: runner/test_failures.py and runner/test_interrupts.py.
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

import psutil
import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families

from razzsim.metrics import MOST_MATCHES, Metrics, MetricsError
from razzsim.runner import session
from tests.runner.helpers import TABLE, experiment, failing, rows

TYPES = {
    "razzsim_hands": "counter",
    "razzsim_decisions": "counter",
    "razzsim_groups": "counter",
    "razzsim_rows": "counter",
    "razzsim_rows_written_bytes": "counter",
    "razzsim_retries": "counter",
    "razzsim_worker_deaths": "counter",
    "razzsim_chunks": "counter",
    "razzsim_chunk_seconds": "histogram",
    "razzsim_commit_seconds": "histogram",
    "razzsim_hands_per_second": "gauge",
    "razzsim_workers": "gauge",
    "razzsim_in_flight_chunks": "gauge",
    "razzsim_queued_chunks": "gauge",
    "razzsim_last_commit_timestamp_seconds": "gauge",
    "razzsim_deals_target": "gauge",
    "razzsim_deals_done": "gauge",
    "razzsim_match_half_width_bb100": "gauge",
    "razzsim_compile_seconds": "gauge",
    "razzsim_disk_free_bytes": "gauge",
    "razzsim_build_info": "gauge",
    "process_resident_memory_bytes": "gauge",
    "process_cpu_seconds": "counter",
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
    assert rows(out, "SELECT coalesce(sum(n_rows), 0) FROM parts") == [(scraper.value("razzsim_rows_total"),)]
    failed = dict(rows(out, "SELECT outcome, count(*) FROM failures WHERE outcome <> 'folded' GROUP BY outcome"))
    for outcome in ("error", "timeout", "worker_lost", "quarantined"):
        assert scraper.value("razzsim_chunks_total", outcome=outcome) == failed.get(outcome, 0)
    assert scraper.scraped == sorted(scraper.scraped)
    outcomes = {labels["outcome"] for labels in scraper.labels("razzsim_chunks_total")}
    assert outcomes == {"committed", "error", "timeout", "worker_lost", "quarantined"}
    return failed


def check_half_widths(scraper: Scraper, out: Path) -> None:
    """One a match, as wide as SQL says."""
    sql = "SELECT entrant || ' vs ' || rival, (hi_bb100 - lo_bb100) / 2 FROM head_to_head WHERE entrant < rival"
    found = {labels["match"] for labels in scraper.labels("razzsim_match_half_width_bb100")}
    expected = dict(rows(out, sql))
    assert found == expected.keys() != set()
    for match, half_width in expected.items():
        assert scraper.value("razzsim_match_half_width_bb100", match=match) == half_width > 0


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
    assert all("_created" in name or name in TYPES or name.startswith("process_") for name in second.families())
    assert all(family.documentation for family in second.families().values() if family.name in TYPES)
    labels = {label for family in second.families().values() for sample in family.samples for label in sample.labels}
    assert labels - {"le", "outcome", "state", "match"} == VERSIONS | {"run"}
    assert second.value("razzsim_deals_target") == second.value("razzsim_deals_done") == 150_000
    check_half_widths(second, out)
    assert second.url is not None
    assert not is_open(int(second.url.rsplit(":", 1)[1].partition("/")[0]))


def test_rows_and_bytes_are_those_of_the_files(tmp_path: Path) -> None:
    """Of a run that was interrupted: one that is complete puts its small files together, and needs fewer bytes."""
    sent = []

    def interrupt(progress: Any) -> None:
        if progress.hands and not sent:
            sent.append(progress.hands)
            os.kill(os.getpid(), signal.SIGINT)

    scraper, out = Scraper(interrupt), tmp_path / "x.duckdb"
    config = experiment(tmp_path, deals=1 << 40, record="hands", batch_groups=512)
    assert session.run(config, out, session.Options(local=True, metrics_port=0), scraper.watch).status == "stopped"
    check_counters(scraper, out)
    (n_bytes,) = rows(out, "SELECT sum(n_bytes) FROM parts")[0]
    files = [file.stat().st_size for file in out.with_suffix(".parts").iterdir()]
    assert scraper.value("razzsim_rows_written_bytes_total") == n_bytes == sum(files) > 0


def test_a_thousand_series_at_most() -> None:
    """As many matches as two hundred entrants have: a hundred are shown, and stay the same ones."""
    metrics = Metrics("x", dict.fromkeys(VERSIONS, "1"))
    metrics.measured((f"a vs {n}", 1.0) for n in range(19_900))
    metrics.measured((f"a vs {n}", 2.0) for n in reversed(range(19_900)))
    samples = [sample for family in metrics.registry.collect() for sample in family.samples]
    widths = {s.labels["match"]: s.value for s in samples if s.name == "razzsim_match_half_width_bb100"}
    assert widths == {f"a vs {n}": 2.0 for n in range(MOST_MATCHES)}
    assert len(samples) < 200 + MOST_MATCHES


def test_openmetrics_is_spoken_with_who_asks_for_it() -> None:
    with Metrics("x", dict.fromkeys(VERSIONS, "1")) as metrics:
        url = f"http://127.0.0.1:{metrics.serve('127.0.0.1', 0)}/metrics"
        with urllib.request.urlopen(url) as answer:
            assert answer.read() == b"", "nothing is shown before it is known what the file holds"
        metrics.start_from(dict.fromkeys(("chunks", "groups", "hands", "decisions", "rows", "bytes"), 0), {}, 10)
        metrics.failed("timeout")
        for accept, kind, parse in (
            ("application/openmetrics-text; version=1.0.0", "application/openmetrics-text", openmetrics),
            ("text/plain", "text/plain", text_string_to_metric_families),
        ):
            with urllib.request.urlopen(urllib.request.Request(url, headers={"Accept": accept})) as answer:
                assert answer.headers.get_content_type() == kind
                text = answer.read().decode()
            assert text.endswith("# EOF\n") == (parse is openmetrics)
            samples = [sample for family in parse(text) for sample in family.samples]
            timeouts = [s for s in samples if s.name == "razzsim_chunks_total" and s.labels["outcome"] == "timeout"]
            assert [sample.value for sample in timeouts] == [1.0]


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


@pytest.mark.parametrize("command", ["run", "resume", "submit"])
def test_a_pushgateway_that_is_no_url_is_one_line(command: str) -> None:
    razzsim = str(Path(sys.executable).with_name("razzsim"))
    words = [razzsim, command, "x.yaml", "--pushgateway", "localhost:9091"]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    problem = "Invalid value for --pushgateway: 'localhost:9091' is not allowed: http://HOST:9091"
    assert ended.stderr == f"razzsim {command}: {problem}\n"


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
    assert listening[-1] == {("127.0.0.1", port)}
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(scraper.url)


def _listening() -> set[Any]:
    """Sockets of this process that listen: address and port."""
    sockets = psutil.Process().net_connections("tcp")
    return {tuple(socket.laddr) for socket in sockets if socket.status == psutil.CONN_LISTEN}


def test_it_listens_where_it_is_told_to() -> None:
    before = _listening()
    with Metrics("x", dict.fromkeys(VERSIONS, "1")) as metrics:
        port = metrics.serve("127.0.0.2", 0)
        assert _listening() - before == {("127.0.0.2", port)}
