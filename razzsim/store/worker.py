"""Who plays chunks, as workers tell of themselves and the table `workers` keeps it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Worker:
    """The columns of `workers` beside the run and the time; worker: its name in `chunks`."""

    worker: str
    host: str
    cpu: str
    python: str
    numba: str
    numpy: str
    razzsim: str
