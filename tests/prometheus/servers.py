"""Prometheus and its Pushgateway as processes of a test: on 127.0.0.1, on ports they find free, data in its folder."""

import json
import math
import os
import shutil
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import yaml

ROOT = Path(__file__).parents[2]
DASHBOARDS = ROOT / "dashboards"
INSTALL = Path(__file__).with_name("install.sh")
STALLED_S = 8
PATIENCE_S = 60
Series = dict[str, Any]
"""labels, and points: (Unix time, value)."""


def wait_for(is_so: Callable[[], bool], what: str) -> None:
    """Until it is so, looked at often."""
    gives_up = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < gives_up, f"{what}: not within {PATIENCE_S} s"
        time.sleep(0.1)


@contextmanager
def _process(program: str, log: Path, *arguments: str) -> Iterator[str]:
    """URL of a server that listens on a port of its own choice."""
    if not shutil.which(program):
        assert os.environ.get("CI") == "true", f"there is no {program}: run {INSTALL} as root"
        subprocess.run([INSTALL], check=True)
    with log.open("w") as said:
        server = subprocess.Popen([program, "--web.listen-address=127.0.0.1:0", *arguments], stdout=said, stderr=said)
    try:
        own, ports = psutil.Process(server.pid), []

        def listens() -> bool:
            assert server.poll() is None, log.read_text()
            ports[:] = [c.laddr.port for c in own.net_connections("tcp") if c.status == psutil.CONN_LISTEN]
            return bool(ports)

        wait_for(listens, program)
        yield f"http://127.0.0.1:{ports[0]}"
    finally:
        server.terminate()
        server.wait()


@contextmanager
def pushgateway(folder: Path) -> Iterator[str]:
    """The URL of one that is empty, and stays so for the next one: Debian's would keep what was pushed."""
    with _process("prometheus-pushgateway", folder / "pushgateway.log", "--persistence.file=") as url:
        yield url


class Prometheus:
    """One that scrapes with our configuration, every second; what it scrapes is told later, as a file of targets."""

    def __init__(self, folder: Path, url: str) -> None:
        self.url, self._targets = url, folder / "targets.json"
        self.at: float | None = None
        """When "now" is, as a Unix time; None: now."""

    def watch(self, url: str) -> None:
        """Scrape this endpoint from now on."""
        whole = self._targets.with_suffix(".new")
        whole.write_text(json.dumps([{"targets": [urllib.parse.urlsplit(url).netloc]}]))
        whole.replace(self._targets)

    def values(self, expression: str, label: str) -> dict[str, float]:
        """Values now, by this label."""
        found = self._ask("query", query=expression, **({"time": self.at} if self.at else {}))
        return {series["metric"].get(label, ""): float(series["value"][1]) for series in found}

    def value(self, expression: str) -> float:
        """The one value now, NaN if there is none."""
        return next(iter(self.values(expression, "run").values()), math.nan)

    def history(self, expression: str, start: float, end: float) -> list[Series]:
        """Series from start to end, a point a second."""
        found = self._ask("query_range", query=expression, start=start, end=end, step=1)
        points = [[(t, float(value)) for t, value in series["values"]] for series in found]
        return [{"labels": series["metric"], "points": of} for series, of in zip(found, points, strict=True)]

    def alerts(self) -> set[str]:
        """Names of those that fire now."""
        return {series["metric"]["alertname"] for series in self._ask("query", query='ALERTS{alertstate="firing"}')}

    def _ask(self, path: str, **params: Any) -> list[Any]:
        url = f"{self.url}/api/v1/{path}?{urllib.parse.urlencode(params)}"
        try:
            with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
                return list(json.load(answer)["data"]["result"])
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{params}: {error.read().decode()}") from error


@contextmanager
def prometheus(folder: Path) -> Iterator[Prometheus]:
    """With dashboards/prometheus.yml and rules.yml, but for intervals, targets, and how long a stalled run stalls."""
    config = yaml.safe_load((DASHBOARDS / "prometheus.yml").read_text())
    config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    scraped = next(job for job in config["scrape_configs"] if job["job_name"] == "razzsim")
    del scraped["static_configs"]
    scraped["file_sd_configs"] = [{"files": [str(folder / "targets.json")], "refresh_interval": "1s"}]
    config["scrape_configs"] = [scraped]
    (folder / "prometheus.yml").write_text(yaml.safe_dump(config))
    rules = (DASHBOARDS / "rules.yml").read_text()
    for ours, short in (("seconds > 300", f"seconds > {STALLED_S}"), ("for: 1m", "for: 1s")):
        assert rules.count(ours) == 1
        rules = rules.replace(ours, short)
    (folder / "rules.yml").write_text(rules)
    arguments = [f"--config.file={folder / 'prometheus.yml'}", f"--storage.tsdb.path={folder / 'data'}"]
    with _process("prometheus", folder / "prometheus.log", *arguments) as url:
        server = Prometheus(folder, url)
        wait_for(lambda: _is_ready(url), "prometheus")
        yield server


def _is_ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/-/ready", timeout=PATIENCE_S):
            return True
    except urllib.error.HTTPError:
        return False
