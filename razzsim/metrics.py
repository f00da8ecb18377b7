"""The Prometheus registry of a run: counters of what is committed, so that they equal the database at its end.

Everything is counted in the driver from committed chunks; a worker that dies takes nothing with it. Names and
units follow the Prometheus conventions; no label names a chunk, a seed or a worker.
"""

import time
from collections.abc import Mapping
from typing import Self
from wsgiref.simple_server import WSGIServer

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info, start_http_server

_CHUNK_BUCKETS = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300)
_COMMIT_BUCKETS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10)


class MetricsError(Exception):
    """The endpoint cannot be opened."""


class Metrics:
    """What an operator sees of one run. The registry is its own: nothing global is touched."""

    def __init__(self, run_id: str, versions: Mapping[str, str]) -> None:
        """versions: label -> value of razzsim_build_info."""
        self.registry = CollectorRegistry()
        self._run = run_id
        self._server: WSGIServer | None = None
        self._hands = self._counter("hands", "Hands whose sums are committed.")
        self._decisions = self._counter("decisions", "Decisions of strategies in committed hands.")
        self._groups = self._counter("groups", "Deal groups committed: the samples of every statistic.")
        self._deaths = self._counter(
            "worker_deaths", "Workers that died or were killed; their chunks are played again."
        )
        self._chunks = Counter(
            "razzsim_chunks", "Chunks by what became of them.", ["run", "outcome"], registry=self.registry
        )
        self._chunk_s = Histogram(
            "razzsim_chunk_seconds",
            "Time a worker took for a chunk.",
            ["run"],
            buckets=_CHUNK_BUCKETS,
            registry=self.registry,
        )
        self._commit_s = Histogram(
            "razzsim_commit_seconds",
            "Time of a commit to the result file.",
            ["run"],
            buckets=_COMMIT_BUCKETS,
            registry=self.registry,
        )
        self._rate = self._gauge("hands_per_second", "Committed hands a second, over about the last ten seconds.")
        self._workers = Gauge("razzsim_workers", "Workers by state.", ["run", "state"], registry=self.registry)
        self._in_flight = self._gauge("in_flight_chunks", "Chunks that workers hold now.")
        self._queued = self._gauge("queued_chunks", "Chunks not handed out yet.")
        self._last_commit = self._gauge(
            "last_commit_timestamp_seconds", "Unix time of the last commit; stale: look at the workers."
        )
        Info("razzsim_build", "Versions of what plays.", registry=self.registry).info(dict(versions))
        for outcome in ("committed", "error", "timeout", "worker_lost", "quarantined"):
            self._chunks.labels(run_id, outcome)

    def _counter(self, name: str, text: str) -> Counter:
        return Counter(f"razzsim_{name}", text, ["run"], registry=self.registry).labels(self._run)

    def _gauge(self, name: str, text: str) -> Gauge:
        return Gauge(f"razzsim_{name}", text, ["run"], registry=self.registry).labels(self._run)

    def start_from(self, totals: Mapping[str, int], failures: Mapping[str, int]) -> None:
        """Begin with what the result file already holds, as after a resume.

        totals: chunks, groups, hands, decisions; failures: failed tries of chunks by outcome.
        """
        self.committed(totals)
        for outcome, count in failures.items():
            self._chunks.labels(self._run, outcome).inc(count)

    def committed(self, added: Mapping[str, int]) -> None:
        """Count committed chunks, groups, hands and decisions."""
        self._hands.inc(added["hands"])
        self._decisions.inc(added["decisions"])
        self._groups.inc(added["groups"])
        self._chunks.labels(self._run, "committed").inc(added["chunks"])

    def timed(self, chunk_s: list[float], commit_s: float) -> None:
        """Observe how long chunks and their commit took, in seconds."""
        for seconds in chunk_s:
            self._chunk_s.labels(self._run).observe(seconds)
        self._commit_s.labels(self._run).observe(commit_s)
        self._last_commit.set(time.time())

    def failed(self, outcome: str) -> None:
        """Count a chunk's failed try; outcome as in the failures table."""
        self._chunks.labels(self._run, outcome).inc()

    def worker_died(self) -> None:
        """Count a worker that died or was killed, once for all chunks it held."""
        self._deaths.inc()

    def show(self, *, hands_per_s: float, workers: int, in_flight: int, queued: int) -> None:
        """Set the gauges."""
        self._rate.set(hands_per_s)
        busy = min(workers, in_flight)
        self._workers.labels(self._run, "busy").set(busy)
        self._workers.labels(self._run, "idle").set(workers - busy)
        self._in_flight.set(in_flight)
        self._queued.set(queued)

    def serve(self, address: str, port: int) -> int:
        """Serve /metrics; returns the port (0 asks for a free one). Raises MetricsError when it cannot be had."""
        try:
            self._server, _ = start_http_server(port, addr=address, registry=self.registry)
        except OSError as error:
            raise MetricsError(
                f"--metrics-port {port}: cannot be served on {address}: {(error.strerror or str(error)).lower()}"
            ) from None
        return self._server.server_port

    def close(self) -> None:
        """Stop serving."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
