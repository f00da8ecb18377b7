"""Result files: one DuckDB file a run, written by one writer, read by anybody."""

from typing import TYPE_CHECKING

from razzsim.lazy import lazily
from razzsim.store.errors import DiskError, HeldError, NotAResultError, QueryError, StoreError

if TYPE_CHECKING:
    from razzsim.store.committed import CommittedChunk
    from razzsim.store.reader import Reader
    from razzsim.store.writer import Writer

__all__ = [
    "CommittedChunk",
    "DiskError",
    "HeldError",
    "NotAResultError",
    "QueryError",
    "Reader",
    "StoreError",
    "Writer",
]

# DuckDB and Arrow come with them, 0.2 s: a run has Ray started before.
__getattr__ = lazily(
    __name__,
    {
        "Reader": "razzsim.store.reader",
        "Writer": "razzsim.store.writer",
        "CommittedChunk": "razzsim.store.committed",
    },
)
