"""The compiled code of a plan, on the disk before several workers want it: two that lack it would both compile, 12 s
each.

The driver makes it and does not load it: on a warm cache it needs no Numba. On an empty one a process beside it
compiles the kernel from the first moment on, while here the experiment is read and its strategies are compiled.
"""

import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from razzsim import engine
from razzsim.engine.jit_cache import cache_folder, write_once
from razzsim.plan import Plan
from razzsim.strategy.card import declaration_of

_HELP = """
from razzsim.lazy import collect_seldom
collect_seldom()
from razzsim.engine import bulk
from razzsim.runner.warm_up import compile_once
compile_once(bulk.kernel)
"""


@contextmanager
def kernel_beside() -> Iterator[None]:
    """A process of its own compiles the kernel meanwhile, if the disk lacks it. Who needs it finds it or waits."""
    with ExitStack() as ending:
        if not _is_kept():
            with suppress(OSError):  # then this process compiles all, as it does when the other one is killed
                helper = _helper()
                ending.callback(helper.wait)
                ending.callback(helper.kill)
        yield


def _helper() -> "subprocess.Popen[bytes]":
    ours = str(Path(engine.__file__).parents[2])
    path = os.pathsep.join(filter(None, (ours, os.environ.get("PYTHONPATH"))))
    quiet = subprocess.DEVNULL
    command = [sys.executable, "-c", _HELP]
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.Popen(command, env=environment, stdin=quiet, stdout=quiet, stderr=quiet)  # noqa: S603 - our text


def warm_up(plan: Plan) -> float:
    """Compile what the disk cache lacks of the kernel and the plan's strategies; seconds it took."""
    start = time.perf_counter()
    for entrant in plan.entrants:
        declaration_of(entrant.source)
    keep_kernel()
    return time.perf_counter() - start


def keep_kernel() -> None:
    """Have the kernel on the disk."""
    if _is_kept():
        return
    from razzsim.engine import bulk

    compile_once(bulk.kernel)
    with suppress(OSError):  # it saves time, no more
        write_once(_mark(), _touched())


def compile_once(kernel: Callable[[], object]) -> None:
    """Compile it, or wait while another process of this machine does so."""
    with (cache_folder() / f"{kernel.__name__}.lock").open("w") as file:
        with suppress(OSError):  # a file system without locks: both compile it
            fcntl.flock(file, fcntl.LOCK_EX)  # ends with its process, however that ends
        kernel()


def _is_kept() -> bool:
    with suppress(OSError, ValueError):
        return _mark().read_text(encoding="utf-8") == _touched()
    return False


def _mark() -> Path:
    return cache_folder() / "kernel"


def _touched() -> str:
    """Numba compiles a file again that was touched since, though its text is the same."""
    return str(max(path.stat().st_mtime_ns for path in Path(engine.__file__).parent.glob("*.py")))
