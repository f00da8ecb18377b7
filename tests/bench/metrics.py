"""What metrics cost: an answer to a scrape, and their share of a run."""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from wsgiref.util import setup_testing_defaults

from prometheus_client import generate_latest, make_wsgi_app

from razzsim.metrics import MOST_MATCHES, Metrics
from razzsim.runner import session
from razzsim.runner.open_run import OpenRun
from razzsim.runner.rows import versions
from tests.bench.harness import Result, cpu_seconds, result
from tests.bench.runs import config_of

_SCRAPE_EVERY_S = 5.0  # as dashboards/prometheus.yml does


def metrics(quick: bool) -> list[Result]:
    """A scrape with as many matches as are shown; and all of it in one run that is scraped every five seconds."""
    shown = Metrics("x", versions())
    shown.measured((f"a vs {n}", 1.0) for n in range(MOST_MATCHES))
    takes = [1000 * cpu_seconds(lambda: generate_latest(shown.registry)) for _ in range(20)]
    series = sum(len(family.samples) for family in shown.registry.collect())
    return [
        result("metrics", f"exposition of {series} series", takes, "ms"),
        result("metrics", "of the CPU of a run, scraped every 5 s", [_share(400_000 if quick else 5_000_000)], "%"),
    ]


class _Meter:
    """Seconds of CPU of the driver's thread: in the calls that feed the metrics, and in answers to scrapes.

    It asks for them itself, without a socket: CPU of a client, and of Ray's threads meanwhile, is not the metrics'.
    """

    def __init__(self) -> None:
        self.cpu_s = 0.0
        self._answer: Callable[..., Any] | None = None
        self._last = 0.0

    def scrape(self, progress: Any) -> None:
        """When it is time for it."""
        if self._answer and time.monotonic() - self._last >= _SCRAPE_EVERY_S:
            self._last = time.monotonic()
            asked: dict[str, Any] = {}
            setup_testing_defaults(asked)
            self.timed(self._answer)(asked, lambda status, headers: None)

    def timed(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """The same call, counted."""

        def counted(*args: Any, **keys: Any) -> Any:
            if isinstance(args[0], Metrics):
                self._answer = self._answer or make_wsgi_app(args[0].registry)
            start = time.thread_time()
            try:
                return call(*args, **keys)
            finally:
                self.cpu_s += time.thread_time() - start

        return counted


def _share(deals: int) -> float:
    """Per cent of the CPU of workers and driver."""
    meter = _Meter()
    parts = [(Metrics, name) for name in ("committed", "timed", "failed", "retried", "compiled", "show")]
    kept = [(kind, name, getattr(kind, name)) for kind, name in [*parts, (OpenRun, "_measure")]]
    for kind, name, call in kept:
        setattr(kind, name, meter.timed(call))
    start = time.process_time()
    try:
        with tempfile.TemporaryDirectory() as folder:
            options = session.Options(workers=2, metrics_port=0)
            watch = session.Watch(progress=meter.scrape)
            run = session.run(config_of(folder, deals), Path(folder) / "x.duckdb", options, watch)
            return 100 * meter.cpu_s / (run.row["cpu_s"] + time.process_time() - start)
    finally:
        for kind, name, call in kept:
            setattr(kind, name, call)
