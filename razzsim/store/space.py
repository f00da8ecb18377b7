"""Free space on the disk of a result, kept back so that it can always be closed, copied and opened again."""

import shutil
from pathlib import Path

from razzsim.store.errors import LowSpaceError

RESERVE_BYTES = 64 << 20
"""At least this; DuckDB's log, which is written into the file when it is closed, grows to 16 MiB."""
_MIB = 1 << 20


def check_space(path: Path) -> None:
    """Raise LowSpaceError when less is free than the reserve or twice the file: a snapshot is a second one.

    Takes 5 us, a commit some milliseconds.
    """
    size = path.stat().st_size if path.exists() else 0
    free, reserve = shutil.disk_usage(path.resolve().parent).free, max(RESERVE_BYTES, 2 * size)
    if free < reserve:
        raise LowSpaceError(
            f"{path}: {free // _MIB} MiB are free on its disk, less than the {-(-reserve // _MIB)} MiB it must have"
        )
