"""The Prometheus registry of a run: counters of what is committed, so that they equal the database at its end.

Everything is counted in the driver from committed chunks; a worker that dies takes nothing with it. Names and
units follow the Prometheus conventions; no label names a chunk, a seed or a worker.
"""

import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Self
from wsgiref.simple_server import WSGIServer

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Info,
    Metric,
    ProcessCollector,
    delete_from_gateway,
    push_to_gateway,
    pushadd_to_gateway,
    start_http_server,
)
from prometheus_client.registry import Collector

_CHUNK_BUCKETS = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300)
_COMMIT_BUCKETS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10)
_OUTCOMES = ("committed", "error", "timeout", "worker_lost", "quarantined")
_STATES = ("busy", "idle", "starting")
MOST_MATCHES = 100
"""A run has a series a match for so many of them; SQL has the others (view head_to_head)."""
_PUSH_EVERY_S, _PUSH_WAIT_S = 5.0, 5.0
"""Seconds from push to push, and those that a Pushgateway may take to answer."""
_JOB = "razzsim"


class MetricsError(Exception):
    """The endpoint cannot be opened, or the Pushgateway cannot be reached."""


class Metrics:
    """What an operator sees of one run. The registry is its own: nothing global is touched."""

    def __init__(self, run_id: str, versions: Mapping[str, str], folder: Path | None = None) -> None:
        """versions: label -> value of razzsim_build_info; folder: where the result lies, for the room on its disk."""
        self.registry = CollectorRegistry()
        self._shown = CollectorRegistry()
        """What others see: nothing before it is known what the result file holds, or counters would seem to jump."""
        self._run, self._folder = run_id, folder
        self._server: WSGIServer | None = None
        self._pusher: _Pusher | None = None
        self._is_complete = False
        self._n_lost = 0
        self._make_counters()
        self._make_histograms()
        self._make_gauges()
        self._widths = Gauge(
            "razzsim_match_half_width_bb100",
            "Half of the 95% interval of a match's difference, in big bets per 100 hands: wider than the difference "
            "that matters, play more deals (razzsim resume --deals).",
            ["run", "match"],
            registry=self.registry,
        )
        self._matches: set[str] = set()
        build = "Versions of what plays; compare them when figures of two runs differ."
        Info("razzsim_build", build, registry=self.registry).info(dict(versions))
        self.registry.register(_OwnProcess(run_id))

    def _make_counters(self) -> None:
        self._hands = self._counter("hands", "Hands whose sums are committed; its rate is the run's pace.")
        self._decisions = self._counter("decisions", "Decisions of strategies in committed hands.")
        self._groups = self._counter("groups", "Deal groups committed: the samples of every statistic.")
        self._rows = self._counter("rows", "Rows of groups, hands and decisions committed, in Parquet files.")
        self._bytes = self._counter(
            "rows_written_bytes", "Bytes of these files as workers wrote them: compare with the room on the disk."
        )
        self._retries = self._counter(
            "retries", "Chunks handed out again since this process began; many: look at chunks by outcome."
        )
        self._deaths = self._counter(
            "worker_deaths",
            "Workers lost since this process began, each counted once; replaced by others, their chunks are played "
            "again. Several an hour: look for memory that ran out, and nodes taken away.",
        )
        self._chunks = Counter(
            "razzsim_chunks",
            "Chunks by what became of them; others than committed are told in the table failures. One that is "
            "quarantined ends the run.",
            ["run", "outcome"],
            registry=self.registry,
        )
        for outcome in _OUTCOMES:
            self._chunks.labels(self._run, outcome)

    def _make_histograms(self) -> None:
        self._chunk_s = Histogram(
            "razzsim_chunk_seconds",
            "Time a worker took for a chunk: about a second is good; far less wants larger batch_groups.",
            ["run"],
            buckets=_CHUNK_BUCKETS,
            registry=self.registry,
        ).labels(self._run)
        self._commit_s = Histogram(
            "razzsim_commit_seconds",
            "Time of a commit to the result file; seconds: the disk is slow, or shared with others.",
            ["run"],
            buckets=_COMMIT_BUCKETS,
            registry=self.registry,
        ).labels(self._run)

    def _make_gauges(self) -> None:
        self._rate = self._gauge("hands_per_second", "Committed hands a second, over about the last ten seconds.")
        self._workers = Gauge(
            "razzsim_workers",
            "Workers by state; many starting for minutes: the cluster has no CPU for them. Many idle: queued_chunks "
            "is 0, or chunks are too short for one driver.",
            ["run", "state"],
            registry=self.registry,
        )
        self._in_flight = self._gauge("in_flight_chunks", "Chunks that workers hold now.")
        self._queued = self._gauge("queued_chunks", "Chunks not handed out yet; 0: the run is about to end.")
        self._target = self._gauge("deals_target", "Deals of all line-ups that the run is to have.")
        self._done = self._gauge("deals_done", "Deals of all line-ups that are committed, of deals_target.")
        self._last_commit = self._gauge(
            "last_commit_timestamp_seconds",
            "Unix time of the last commit, of the start before the first one; stale: look at the workers.",
        )
        self._compiled = self._gauge(
            "compile_seconds", "Time the driver took to compile kernel and strategies; more than 2: its cache was cold."
        )
        self._room = self._gauge(
            "disk_free_bytes", "Room on the disk of the result; a run stops, to be resumed, before it is full."
        )
        self._last_commit.set_to_current_time()

    def _counter(self, name: str, text: str) -> Counter:
        return Counter(f"razzsim_{name}", text, ["run"], registry=self.registry).labels(self._run)

    def _gauge(self, name: str, text: str) -> Gauge:
        return Gauge(f"razzsim_{name}", text, ["run"], registry=self.registry).labels(self._run)

    @property
    def is_watched(self) -> bool:
        """Whether anybody can see it: figures that cost something are made for nobody else."""
        return self._server is not None or self._pusher is not None

    def start_from(self, totals: Mapping[str, int], failures: Mapping[str, int], deals: int) -> None:
        """Begin with what the result file already holds, as after a resume.

        totals: as `committed` takes them; failures: failed tries of chunks by outcome; deals: those the run is to have.
        """
        self._target.set(deals)
        self.committed(totals)
        for outcome, count in failures.items():
            self._chunks.labels(self._run, outcome).inc(count)
        self._look_at_the_disk()
        self._shown.register(_Copy(self.registry))
        if self._pusher is not None:
            self._pusher.begin()

    def committed(self, added: Mapping[str, int]) -> None:
        """Count committed chunks, groups, hands, decisions, and rows and bytes of Parquet files."""
        self._hands.inc(added["hands"])
        self._decisions.inc(added["decisions"])
        self._groups.inc(added["groups"])
        self._done.inc(added["groups"])
        self._rows.inc(added["rows"])
        self._bytes.inc(added["bytes"])
        self._chunks.labels(self._run, "committed").inc(added["chunks"])

    def timed(self, chunk_s: list[float], commit_s: float) -> None:
        """Observe how long chunks and their commit took, in seconds."""
        for seconds in chunk_s:
            self._chunk_s.observe(seconds)
        self._commit_s.observe(commit_s)
        self._last_commit.set_to_current_time()

    def failed(self, outcome: str) -> None:
        """Count a chunk's failed try; outcome as in the failures table."""
        self._chunks.labels(self._run, outcome).inc()

    def retried(self, n_chunks: int) -> None:
        """Count chunks that are handed out again."""
        self._retries.inc(n_chunks)

    def compiled(self, seconds: float) -> None:
        """Tell how long the driver compiled."""
        self._compiled.set(seconds)

    def measured(self, half_widths: Iterable[tuple[str, float]]) -> None:
        """Tell half of a match's 95% interval, in BB/100; the first hundred matches stay, others are left out."""
        for match, half_width in half_widths:
            if match in self._matches or len(self._matches) < MOST_MATCHES:
                self._matches.add(match)
                self._widths.labels(self._run, match).set(half_width)

    def show(self, *, hands_per_s: float, workers: Mapping[str, int], n_lost: int, in_flight: int, queued: int) -> None:
        """Set the gauges. workers: by state; n_lost: workers lost since the run began."""
        self._rate.set(hands_per_s)
        for state in _STATES:
            self._workers.labels(self._run, state).set(workers[state])
        self._deaths.inc(n_lost - self._n_lost)
        self._n_lost = n_lost
        self._in_flight.set(in_flight)
        self._queued.set(queued)
        self._look_at_the_disk()

    def _look_at_the_disk(self) -> None:
        if self._folder is not None and self.is_watched:
            with suppress(OSError):  # who cannot be asked now ends no run
                self._room.set(shutil.disk_usage(self._folder).free)

    def serve(self, address: str, port: int) -> int:
        """Serve /metrics; returns the port (0 asks for a free one). Raises MetricsError when it cannot be had."""
        try:
            self._server, _ = start_http_server(port, addr=address, registry=self._shown)
        except OSError as error:
            raise MetricsError(
                f"--metrics-port {port}: cannot be served on {address}: {(error.strerror or str(error)).lower()}"
            ) from None
        return self._server.server_port

    def push(self, url: str, grouping: Mapping[str, str], note: Callable[[str], None]) -> None:
        """Push to a Pushgateway every few seconds, and at the end. Raises MetricsError when it cannot be reached.

        grouping: labels that nobody else's metrics have there, beside the job; note: hears once of a push that failed.
        """
        pusher = _Pusher(url, self._shown, {"run": self._run, **grouping}, note)
        pusher.start()
        self._pusher = pusher

    def complete(self) -> None:
        """Say that all is played: what was pushed is deleted when this is closed. Of other runs the last push stays."""
        self._is_complete = True

    def close(self) -> None:
        """Stop serving and pushing."""
        if self._pusher is not None:
            for state in _STATES:  # of a stopped run the last push stays
                self._workers.labels(self._run, state).set(0)
            self._rate.set(0)
            self._pusher.stop(is_complete=self._is_complete)
            self._pusher = None
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Copy(Collector):
    """All of another registry."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry

    def collect(self) -> Iterable[Metric]:
        """As it is now."""
        return self._registry.collect()


class _OwnProcess(Collector):
    """The driver's memory, CPU time and open files, as the client library tells of them, labelled by run."""

    def __init__(self, run_id: str) -> None:
        self._run, self._source = run_id, ProcessCollector(registry=None)

    def collect(self) -> Iterator[Metric]:
        """The families with one label more."""
        for family in self._source.collect():
            family.samples = [sample._replace(labels={"run": self._run}) for sample in family.samples]
            yield family


@dataclass
class _Pusher:
    """A thread that pushes a registry: a Pushgateway that does not answer holds nothing up."""

    url: str
    registry: CollectorRegistry
    grouping: Mapping[str, str]
    note: Callable[[str], None]
    _has_ended: threading.Event = field(default_factory=threading.Event)
    _has_failed: bool = False
    _thread: threading.Thread | None = None

    def start(self) -> None:
        """Push nothing yet, so that a wrong URL is told before anything is played, and no last push is lost."""
        nothing = CollectorRegistry()
        if problem := _problem_of(
            lambda: pushadd_to_gateway(self.url, _JOB, nothing, dict(self.grouping), _PUSH_WAIT_S)
        ):
            raise MetricsError(f"--pushgateway {self.url}: {problem}")

    def begin(self) -> None:
        """Push, and go on in the thread."""
        self._tell(self._push())
        self._thread = threading.Thread(target=self._push_on, daemon=True)
        self._thread.start()

    def stop(self, *, is_complete: bool) -> None:
        """Push a last time; of a complete run, delete what was pushed. A run that never began leaves what was there."""
        if self._thread is None:
            return
        self._has_ended.set()
        self._thread.join()
        self._tell(self._push())
        if is_complete:
            self._tell(_problem_of(lambda: delete_from_gateway(self.url, _JOB, dict(self.grouping), _PUSH_WAIT_S)))

    def _push_on(self) -> None:
        while not self._has_ended.wait(_PUSH_EVERY_S):
            self._tell(self._push())

    def _push(self) -> str:
        return _problem_of(lambda: push_to_gateway(self.url, _JOB, self.registry, dict(self.grouping), _PUSH_WAIT_S))

    def _tell(self, problem: str) -> None:
        if problem and not self._has_failed:
            self._has_failed = True
            self.note(f"--pushgateway {self.url}: {problem}; the run goes on, and this is not told again")


def _problem_of(call: Callable[[], None]) -> str:
    """What went wrong, in a few words; nothing if all went well."""
    try:
        call()
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", error)
        words = " ".join(str(getattr(reason, "strerror", None) or reason).split())
        return f"metrics cannot be pushed: {words.lower()[:200] or type(error).__name__}"
    return ""
