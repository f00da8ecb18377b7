"""A real Ray head with a dashboard, on 127.0.0.1 alone, with a token, a temporary folder and a session of its own."""

import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

PROGRAMS = Path(sys.executable).parent
START_S = 90


@dataclass(frozen=True)
class Head:
    """Where its dashboard is, and the environment in which it can be reached."""

    url: str
    environment: dict[str, str]

    def request(self, path: str, method: str = "GET") -> urllib.request.Request:
        """A request to its dashboard, with the token."""
        token = {"Authorization": f"Bearer {self.environment['RAY_AUTH_TOKEN']}"}
        return urllib.request.Request(f"{self.url}{path}", headers=token, method=method)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@contextmanager
def ray_head() -> Iterator[Head]:
    """Start one with two CPUs; when it is left, every process of its session has ended."""
    folder, port = tempfile.mkdtemp(prefix="rz-"), free_port()
    environment = {
        **os.environ,
        "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}",
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # its address is 127.0.0.1
    }
    words = ["start", "--head", "--block", "--num-cpus", "2", "--object-store-memory", str(80 << 20)]
    words += ["--port", str(free_port()), "--temp-dir", folder, "--dashboard-agent-listen-port", str(free_port())]
    words += ["--include-dashboard=true", "--dashboard-host", "127.0.0.1", "--dashboard-port", str(port)]
    log = Path(folder, "start.log")
    with log.open("w") as out:
        process = subprocess.Popen(
            [PROGRAMS / "ray", *words], env=environment, stdout=out, stderr=out, start_new_session=True
        )
    head = Head(f"http://127.0.0.1:{port}", environment)
    try:
        wait_for_agent(head, log)
        yield head
    finally:
        end_session(process)
        shutil.rmtree(folder, ignore_errors=True)


def wait_for_agent(head: Head, log: Path) -> None:
    """Until jobs can be submitted: its agent comes after its dashboard."""
    deadline = time.monotonic() + START_S
    while True:
        try:
            with urllib.request.urlopen(head.request("/api/jobs/"), timeout=5):
                return
        except (urllib.error.URLError, OSError):
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.5)


def end_session(process: "subprocess.Popen[bytes]") -> None:
    """Ray's processes stay in the session of their head; the drivers of jobs have one each, below it."""
    for other in [*psutil.Process(process.pid).children(recursive=True), *psutil.process_iter()]:
        with suppress(psutil.Error, ProcessLookupError):
            if os.getsid(other.pid) == process.pid:
                other.kill()
    process.wait()
