"""A run under the eyes of a Prometheus: one worker is killed, later all of them stand still for a while."""

import os
import signal
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from razzsim.runner import session
from tests.prometheus.servers import Prometheus, wait_for
from tests.runner.helpers import TABLE, experiment

KEYS: dict[str, Any] = {
    "schedule": "table",
    "table": {**TABLE, "seats": 6},
    "entrants": [
        {"strategy": "random", "count": 3},
        {"strategy": "loose"},
        {"strategy": "tight"},
        {"strategy": "station"},
    ],
    "batch_groups": 4096,
    "chunk_groups": 1024,
    "snapshot_s": 0.5,
    "deals": 1 << 23,  # 50 million hands: half a minute at the least, of which a third is needed
}


@dataclass
class Drill:
    """What is done to a run, a step whenever it tells of its progress; and when."""

    server: Prometheus
    text: str = ""
    """The last that was scraped here."""
    times: dict[str, float] = field(default_factory=dict)
    """begun, killed, stopped, continued, ended: Unix times."""
    _url: str = ""

    def play(self, folder: Path) -> session.Run:
        """Until Ctrl-C, with two workers; the result has all it played."""
        self._steps = self._script()
        try:
            watch = session.Watch(self._note, self._progress)
            options = session.Options(workers=2, metrics_port=0)
            return session.run(experiment(folder, **KEYS), folder / "x.duckdb", options, watch)
        finally:
            for worker in _workers():
                worker.resume()

    def _note(self, text: str) -> None:
        if text.startswith("metrics: "):
            self._url = text.removeprefix("metrics: ")
            self.server.watch(self._url)

    def _progress(self, progress: Any) -> None:
        """The next step; once they are done, wait until what is committed was scraped."""
        if next(self._steps, "done") == "done":
            wait_for(lambda: self.server.value("razzsim_hands_total") == progress.hands, "the last scrape")
            with urllib.request.urlopen(self._url) as answer:
                self.text = answer.read().decode()
            self._mark("ended")

    def _mark(self, what: str) -> None:
        self.times[what] = time.time()

    def _script(self) -> Iterator[None]:
        server = self.server
        yield from _until(lambda: server.value("razzsim_hands_total") > 0)
        yield from _until(lambda: server.value('razzsim_workers{state="busy"}') == 2)
        self._mark("begun")
        _workers()[0].kill()
        self._mark("killed")
        yield from _until(lambda: "RazzsimWorkersLost" in server.alerts())
        self._mark("stopped")
        while "RazzsimRunStalled" not in server.alerts():
            for worker in _workers():  # also the one that comes for the one that was killed
                worker.suspend()
            yield
        for worker in _workers():
            worker.resume()
        self._mark("continued")
        yield from _until(lambda: "RazzsimRunStalled" not in server.alerts())
        os.kill(os.getpid(), signal.SIGINT)
        yield


def _until(is_so: Callable[[], bool]) -> Iterator[None]:
    while not is_so():
        yield


def _workers() -> list[psutil.Process]:
    """Ray's workers below this process, that play."""
    below = psutil.Process().children(recursive=True)
    return [process for process in below if process.is_running() and _name(process).startswith("ray::_Worker")]


def _name(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:  # it has just ended
        return ""
