"""The compiled code of a plan, on the disk before several workers want it: two that lack it both compile, 15 s each.

The driver makes it and does not load it: on a warm cache it needs no Numba.
"""

import time
from contextlib import suppress
from pathlib import Path

from razzsim import engine
from razzsim.engine.jit_cache import cache_folder, write_once
from razzsim.plan import Plan
from razzsim.strategy.card import declaration_of


def warm_up(plan: Plan) -> float:
    """Compile what the disk cache lacks of the kernel and the plan's strategies; seconds it took."""
    start = time.perf_counter()
    _keep_kernel()
    for entrant in plan.entrants:
        declaration_of(entrant.source)
    return time.perf_counter() - start


def _keep_kernel() -> None:
    mark = cache_folder() / "kernel"
    # Numba compiles a file again that was touched since, though its text is the same.
    touched = max(path.stat().st_mtime_ns for path in Path(engine.__file__).parent.glob("*.py"))
    with suppress(OSError, ValueError):
        if mark.read_text(encoding="utf-8") == str(touched):
            return
    from razzsim.engine import bulk

    bulk.kernel()
    with suppress(OSError):  # it saves time, no more
        write_once(mark, str(touched))
