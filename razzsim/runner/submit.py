"""Runs as Ray Jobs: sent to a cluster, followed there, and judged by what they have committed.

The job is `razzsim run` on the head node; all that a run promises, it keeps there.
"""

import asyncio
import importlib.util
import logging
import shlex
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import requests
from ray.exceptions import RayError

from razzsim.plan import Plan
from razzsim.plan.parcel import pack
from razzsim.runner.environment import environment
from razzsim.runner.executor import ExecutorError
from razzsim.runner.session import Options
from razzsim.store import Reader, StoreError
from razzsim.store.fetch import local_copy

_STOP_S = 60
"""Seconds between SIGTERM and SIGKILL when a job is stopped: Ray's own 3 are too few for a commit of many entrants."""
_ANSWER_S = 30
"""Seconds an answer of the cluster may take, and a log may be silent before the job is looked at."""
_PATIENCE_S = 120
"""Seconds the cluster may be out of sight while a job is followed."""
_TALKATIVE = ("dashboard.modules.dashboard_sdk", "dashboard.modules.job.sdk", "_private.runtime_env.packaging")
"""Modules of Ray that tell on stderr how a package is made and sent."""
_CODES = {1, 2, 3, 4, 5}
"""Exit codes that the run itself chose."""
_SIGNALLED = {130, 143}


@dataclass(frozen=True)
class JobEnd:
    """How a job ended, as Ray tells it: SUCCEEDED, FAILED or STOPPED; the run's exit code, if it had one."""

    status: str
    exit_code: int | None
    message: str


@dataclass(frozen=True)
class Committed:
    """What a result file holds of a run."""

    status: str
    stop_reason: str
    chunks: int
    groups: int
    hands: int


class Jobs:
    """The Ray Jobs of one cluster. Every method raises ExecutorError when the cluster does not answer."""

    def __init__(self, address: str) -> None:
        """Connect to http(s)://HOST:PORT, with the token of RAY_AUTH_TOKEN or RAY_AUTH_TOKEN_PATH if RAY_AUTH_MODE
        says so.
        """
        if importlib.util.find_spec("aiohttp") is None:
            raise ExecutorError("submitting needs more of Ray: pip install 'razzsim[cluster]'")
        self.address = address
        # Ray would take an address from the environment before the one that was given.
        with self._reached(), environment(RAY_API_SERVER_ADDRESS=address):
            self._client = _client(address)

    def submit(self, config: Path, plan: Plan, out: str, options: Options) -> str:
        """Send the experiment and start its run; returns the job's id. Raises ConfigError."""
        job = f"razzsim-{plan.run_id}-{datetime.now(UTC):%Y%m%dT%H%M%S.%f}"[:-3]
        with tempfile.TemporaryDirectory(prefix="razzsim-job-") as folder, self._reached():
            words = command(pack(config, plan, Path(folder)), plan, out, options)
            return str(
                self._client.submit_job(
                    entrypoint=f"exec {shlex.join(words)}",  # no shell stays between Ray's SIGTERM and the run
                    submission_id=job,
                    runtime_env={"working_dir": folder, "env_vars": {"RAY_JOB_STOP_WAIT_TIME_S": str(_STOP_S)}},
                    metadata={"run": plan.run_id, "name": plan.name, "out": out},
                )
            )

    async def lines(self, job: str) -> AsyncIterator[str]:
        """The lines of a job's log as they come, until it has ended; a lost connection is made again."""
        seen, begun, has_ended = 0, "", False
        while not has_ended:
            has_ended = self.end(job) is not None  # before reading: what is read now is the rest
            read, tail = 0, self._client.tail_job_logs(job)
            while text := await _next(tail):
                read += len(text)
                if read > seen:  # a new connection tells all again
                    *lines, begun = (begun + text[max(0, len(text) - (read - seen)) :]).split("\n")
                    seen = read
                    for line in lines:
                        yield line
            await asyncio.sleep(0 if has_ended else 0.5)
        if begun:
            yield begun

    def end(self, job: str) -> JobEnd | None:
        """How the job ended; None while it goes on."""
        give_up = time.monotonic() + _PATIENCE_S
        while True:
            try:
                with self._reached():
                    info = self._client.get_job_info(job)
                break
            except ExecutorError:
                if time.monotonic() > give_up:
                    raise
                time.sleep(2)
        if not info.status.is_terminal():
            return None
        return JobEnd(str(info.status.value), info.driver_exit_code, str(info.message or ""))

    @contextmanager
    def _reached(self) -> Iterator[None]:
        try:
            yield
        except (RayError, RuntimeError, ConnectionError, requests.RequestException) as error:
            words = " ".join(str(error).split())[:300]
            raise ExecutorError(f"{self.address}: is not answered by Ray Jobs: {words}") from error


def _client(address: str) -> Any:
    from ray.job_submission import JobSubmissionClient

    for module in _TALKATIVE:
        logging.getLogger(f"ray.{module}").setLevel(logging.WARNING)

    class Client(JobSubmissionClient):  # type: ignore[misc] # Any to mypy: Ray ships no types
        """Waits no longer than it must: without a timeout, a host that is gone is waited for for ever."""

        def _do_request(self, method: str, endpoint: str, **keys: Any) -> Any:
            return super()._do_request(method, endpoint, timeout=_ANSWER_S, **keys)

    return Client(address)


async def _next(tail: Any) -> str:
    """The next piece of a log; nothing when it ended, was cut off, or is silent for long."""
    from aiohttp import ClientError

    try:
        async with asyncio.timeout(_ANSWER_S):  # wait_for of Python 3.11 forgets a Ctrl-C that comes with an answer
            return str(await anext(tail, ""))
    except (TimeoutError, RuntimeError, OSError, ClientError):
        return ""


def command(config: Path, plan: Plan, out: str, options: Options) -> list[str]:
    """What the job executes in its folder."""
    words = ["razzsim", "run", str(config), "--address", "auto", "--out", out]
    words += ["--expect", plan.run_id, "--log-format", "json"]
    if options.workers is not None:
        words += ["--workers", str(options.workers)]
    if options.metrics_port is not None:
        words += ["--metrics-port", str(options.metrics_port), "--metrics-address", options.metrics_address]
    if options.pushgateway is not None:
        words += ["--pushgateway", options.pushgateway]
    return [*words, "--resume"] if options.resume else words


def committed(out: str, run_id: str) -> Committed | None:
    """What the output holds of this run; None when it cannot be seen from here."""
    sql = """SELECT r.status, coalesce(r.stop_reason, '') AS stop_reason,
                    count(c.first_group)::BIGINT AS chunks,
                    coalesce(sum(c.n_groups), 0)::BIGINT AS groups, coalesce(sum(c.n_hands), 0)::BIGINT AS hands
             FROM runs r LEFT JOIN chunks c USING (run_id) WHERE run_id = $run_id GROUP BY ALL"""
    try:
        with local_copy(out) as path, Reader(path) as reader:
            found = reader.query(sql, {"run_id": run_id}).to_pylist()
    except StoreError:
        return None
    return Committed(**found[0]) if found else None


def verdict(end: JobEnd, groups: int | None, n_groups: int) -> int:
    """The exit code of a job: that of its run, but 0 only when all deals of all line-ups are committed.

    groups: as the output has them, or as the run told; None when neither is known.
    """
    if end.status == "SUCCEEDED":
        return 0 if groups is not None and groups >= n_groups else 3  # a run may have been given more deals
    if end.status == "STOPPED" or end.exit_code in _SIGNALLED:
        return 3
    return end.exit_code if end.exit_code in _CODES else 4
