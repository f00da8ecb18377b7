"""Many small Parquet parts become fewer large ones when a run has ended."""

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from razzsim.records import ROW_TABLES
from razzsim.store.part import Part

if TYPE_CHECKING:
    from razzsim.store import Writer

_SMALL_BYTES, _LARGE_BYTES = 16 << 20, 64 << 20
"""Parts below the one are put together up to the other: a query opens every file, which takes it about 0.3 ms each."""


def compact(writer: "Writer") -> None:
    """Put small parts of the run together. Old files go when the new ones are committed."""
    for table in ROW_TABLES:
        small = [part for part in writer.parts(level=table.name, origin="run") if part.n_bytes < _SMALL_BYTES]
        for parts in _portions(small):
            if len(parts) > 1:
                writer.replace_parts([part.path for part in parts], [_put_together(parts)])
                for part in parts:
                    Path(part.path).unlink(missing_ok=True)


def _portions(parts: list[Part]) -> Iterator[list[Part]]:
    portion: list[Part] = []
    for part in parts:
        if sum(other.n_bytes for other in portion) + part.n_bytes > _LARGE_BYTES:
            yield portion
            portion = []
        portion.append(part)
    yield portion


def _put_together(parts: list[Part]) -> Part:
    import pyarrow.parquet as pq

    from razzsim.runner.recorder import WRITING, finished, parquet_writer

    first = parts[0]
    path = Path(first.path).with_name(f"{first.level}-all-{uuid.uuid4().hex[:8]}.parquet{WRITING}")
    with parquet_writer(path, first.level) as out:
        for part in parts:
            out.write_table(pq.read_table(part.path))
    line_ups = {part.line_up for part in parts}
    begin, end = min(part.first_group for part in parts), max(part.first_group + part.n_groups for part in parts)
    path = finished(path)
    line_up = line_ups.pop() if len(line_ups) == 1 else None
    n_rows, n_bytes = sum(part.n_rows for part in parts), path.stat().st_size
    return Part(str(path), first.level, line_up, begin, end - begin, first.sample, n_rows, n_bytes, first.origin)
