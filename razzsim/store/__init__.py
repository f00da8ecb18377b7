"""Result files: one DuckDB file a run, written by one writer, read by anybody."""

from razzsim.store.errors import DiskError, HeldError, NotAResultError, QueryError, StoreError
from razzsim.store.reader import Reader
from razzsim.store.writer import CommittedChunk, Writer

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
