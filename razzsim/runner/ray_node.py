"""Ray for one run: a private local instance, or a connection to a cluster. It starts beside what else is to be done."""

import logging
import os
import secrets
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from threading import Event, Thread
from typing import Any

# Before Ray is imported: nothing is sent out, and accelerators are left as they are.
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")

import ray
from ray.exceptions import RayError

from razzsim.runner.environment import environment
from razzsim.runner.executor import ExecutorError
from razzsim.runner.scratch import Scratch

_OBJECT_STORE_BYTES = 80 << 20
"""Sums are small; Ray's own minimum is 75 MiB."""
_SYSTEM = {"raylet_client_connect_timeout_milliseconds": 50, "raylet_client_num_connect_attempts": 200}
"""A raylet knocks at its own object store before it is open: again after 50 ms, not 1 s, and for 10 s as ever."""
_IDLE = ("start_monitor", "start_api_server", "start_log_monitor")
"""What Ray starts beside a private instance and has no option to leave out: the autoscaler's monitor, the server of a
dashboard that is switched off (ray.init waits for it), a reader of logs that nobody wants. Each loads Ray anew:
without them ray.init takes 3.1 s instead of 4.3 s, ray.shutdown 0.4 s instead of 1.4 s (two cores).
"""
_LAST, _LOOK_AFTER_S = "start_ray_processes", 0.4
"""What starts the rest, which is up after 1.0 s to 1.3 s. Ray looks at once and then every second: begun with 0.4 s
later, the second look finds it, where the third did (ray.init 2.5 s).
"""
_ASK_EVERY_S = 0.2
_STARTING = (RayError, RuntimeError, ValueError, ConnectionError, OSError)
_FOLDER = "razzsim-ray-"
"""Ray's temporary folders of ours begin with this."""


class RayNode:
    """Ray, in a thread of its own: of the 4 s it takes to start, the driver only waits.

    The thread lives as long as Ray does: Linux kills Ray's processes with the thread that started them.
    """

    def __init__(self, workers: int | None, address: str | None = None) -> None:
        """Begin to start Ray with CPUs for `workers` (None: all of this process), or to connect to `address`."""
        if ray.is_initialized():
            raise ExecutorError("Ray is in use by this process already: shut it down first, or play local")
        self._has_started, self._may_end, self._is_private = Event(), Event(), address is None
        self._error: Exception | None = None
        self._thread = Thread(target=self._live, args=(workers, address), name="ray", daemon=True)
        self._thread.start()

    def wait(self, asked_to_stop: Callable[[], bool] = lambda: False) -> None:
        """Until Ray has started. Raises ExecutorError when it does not, KeyboardInterrupt when asked to stop."""
        while not self._has_started.wait(_ASK_EVERY_S):
            if asked_to_stop():
                raise KeyboardInterrupt
        if self._error:
            with ray_starts():
                raise self._error

    def close(self) -> None:
        """Stop Ray and remove its folder."""
        self._may_end.set()
        if self._is_private or self._has_started.is_set():  # else it is connecting to a cluster that may not be there
            self._thread.join()

    def _live(self, workers: int | None, address: str | None) -> None:
        try:
            with ExitStack() as ending:
                scratch = None if address else ending.enter_context(_folder())
                if not address:
                    ending.enter_context(_own_token())
                ending.callback(ray.shutdown)
                _start(workers, address, str(scratch.path) if scratch else None)
                self._has_started.set()
                self._may_end.wait()
        except Exception as error:
            self._error = error
        finally:
            self._has_started.set()


@contextmanager
def ray_starts() -> Iterator[None]:
    """What may go wrong while Ray or its actors start, as ExecutorError."""
    try:
        yield
    except Exception as error:
        # Ray raises a bare Exception when its node is not up within 30 s.
        if type(error) is not Exception and not isinstance(error, _STARTING):
            raise
        first = " ".join(str(error).split())[:300]
        raise ExecutorError(f"Ray does not start: {first}; --local plays without it") from error


def _start(workers: int | None, address: str | None, folder: str | None) -> None:
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address:
        ray.init(address=address, **quiet)
        return
    with _quicker_head(), _on_loopback():
        ray.init(
            address="local",
            num_cpus=workers or len(os.sched_getaffinity(0)),
            num_gpus=0,
            include_dashboard=False,
            object_store_memory=_OBJECT_STORE_BYTES,
            _temp_dir=folder,
            _system_config=_SYSTEM,
            **quiet,
        )


@contextmanager
def _quicker_head() -> Iterator[None]:
    """A head node that starts what is needed and is looked at in time; a Ray built otherwise only takes longer."""
    head = ray._private.node.Node
    found = {name: getattr(head, name) for name in (*_IDLE, _LAST) if hasattr(head, name)}

    def start_last(node: Any) -> None:
        found[_LAST](node)
        time.sleep(_LOOK_AFTER_S)

    for name in found:
        setattr(head, name, start_last if name == _LAST else lambda _node, **_options: None)
    try:
        yield
    finally:
        for name, start in found.items():
            setattr(head, name, start)


@contextmanager
def _on_loopback() -> Iterator[None]:
    """A node whose address is 127.0.0.1, so that nothing of it listens elsewhere, as Ray has it on macOS and Windows.

    On Linux all its processes listen on every address, and `_node_ip_address` turns 127.0.0.1 into the outer one.
    """
    constants = ray._private.ray_constants
    before, constants.ENABLE_RAY_CLUSTER = constants.ENABLE_RAY_CLUSTER, False
    try:
        yield
    finally:
        constants.ENABLE_RAY_CLUSTER = before


@contextmanager
def _own_token() -> Iterator[None]:
    """A private Ray answers only who knows its token: its own processes. Without one, Ray keeps a token for all of
    the user's Rays in the home folder. The operator's, for a cluster, does not reach the private one.
    """
    try:
        with environment(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32), RAY_AUTH_TOKEN_PATH=None):
            _read_token_again()
            yield
    finally:
        _read_token_again()


def _read_token_again() -> None:
    """Ray reads mode and token once a process."""
    ray._raylet.Config.initialize("")
    ray._raylet.AuthenticationTokenLoader.instance().reset_cache()


def _folder() -> closing[Scratch]:
    """A temporary folder for a private Ray."""
    # Sockets lie in this folder and their paths may have 107 characters: a long TMPDIR does not do.
    base = tempfile.gettempdir() if len(tempfile.gettempdir()) <= 24 else "/tmp"  # noqa: S108
    return closing(Scratch(_FOLDER, base))
