"""A Parquet file of rows, as workers tell of it and the table `parts` keeps it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """The columns of `parts` beside the run."""

    path: str
    level: str
    line_up: int | None
    first_group: int
    n_groups: int
    sample: float
    n_rows: int
    n_bytes: int
    origin: str
