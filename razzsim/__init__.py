"""razzsim plays Razz strategies against each other by the million and says which is better, and how sure.

import razzsim
run = razzsim.run("configs/quickstart.yaml")
print(run.standings())
print(run.sql("SELECT entrant, rival, diff_bb100 FROM head_to_head"))
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from razzsim.lazy import lazily

if TYPE_CHECKING:
    from razzsim.plan import ConfigError
    from razzsim.runner.session import Run
    from razzsim.store import StoreError

__all__ = ["ConfigError", "StoreError", "open_run", "resume", "run"]

__getattr__ = lazily(__name__, {"ConfigError": "razzsim.plan", "StoreError": "razzsim.store"})


def run(config: str | Path, out: str | Path | None = None, *, workers: int | None = None, local: bool = False) -> Run:
    """Play an experiment file; returns when it has ended. out: result file (default runs/<name>.duckdb).

    workers: Ray actors (default one a CPU); local: play in this process without Ray.
    Raises ConfigError and StoreError kinds; an output of the same plan that is complete is returned as it is.
    """
    from razzsim.runner import session

    return session.run(config, out, session.Options(workers=workers, local=local))


def resume(out: str | Path, *, deals: int | None = None, workers: int | None = None, local: bool = False) -> Run:
    """Go on with an unfinished result file: only what is missing is played.

    deals: how many each line-up is to have in all, to extend a run, finished or not; never fewer than it has.
    Raises StoreError kinds.
    """
    from razzsim.runner import session

    return session.resume(out, session.Options(workers=workers, local=local), deals=deals)


def open_run(out: str | Path) -> Run:
    """A result file to look at. Raises NotAResultError."""
    from razzsim.runner.outputs import Output
    from razzsim.runner.session import Run
    from razzsim.store import Reader

    with Reader(out) as reader:
        return Run(Output(Path(out)), reader.run_row())
