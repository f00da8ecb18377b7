"""What happens in a run, as records of the standard logger `razzsim`: words for people, facts for machines.

Nobody hears them unless somebody listens: `razzsim run --log-format json` does, and so may a program that calls us.
"""

import logging
from contextvars import ContextVar
from typing import Any

LOGGER = logging.getLogger("razzsim")


class _Unheard(logging.Handler):
    """While nobody listens, events are not printed; warnings of our modules are, as Python does without a handler."""

    def emit(self, record: logging.LogRecord) -> None:
        is_heard = len(LOGGER.handlers) > 1 or logging.root.handlers
        if record.name != LOGGER.name and not is_heard and logging.lastResort:
            logging.lastResort.handle(record)


LOGGER.addHandler(_Unheard(logging.WARNING))

_run: ContextVar[str | None] = ContextVar("run", default=None)


def about(run_id: str | None) -> None:
    """From now on events are of this run."""
    _run.set(run_id)


def tell(event: str, message: str, level: int = logging.INFO, **facts: Any) -> None:
    """Log one event: a record with the attributes `event` (its kind, one word) and `facts` (run_id as `run` first)."""
    run = _run.get()
    of_run = {} if run is None else {"run": run}
    LOGGER.log(level, message, extra={"event": event, "facts": {**of_run, **facts}})
