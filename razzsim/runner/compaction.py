"""Many small Parquet parts become fewer large ones when a run has ended."""

import uuid
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from pyarrow import ArrowInvalid

from razzsim.records import ROW_TABLES
from razzsim.store import DiskError
from razzsim.store.part import Part
from razzsim.store.part_folder import delete_part, part_folder, readable

if TYPE_CHECKING:
    import pyarrow as pa

    from razzsim.store import Writer

_SMALL_BYTES, _LARGE_BYTES = 16 << 20, 64 << 20
"""Parts below the one are put together up to the other: a query opens every file, which takes it about 0.3 ms each."""


def tidy(writer: "Writer", run_id: str, note: Callable[[str], None], *, is_complete: bool) -> None:
    """Leave few and large files of rows. What was played is committed already: a failure here is only told.

    An interrupted run ends at once, with its many files: whoever sent SIGTERM may not wait.
    """
    try:
        writer.sweep_parts()
        if is_complete:
            compact(writer, run_id)
            writer.show_parts()
    except (OSError, ArrowInvalid, DiskError) as error:
        note(f"rows stay in many files: {' '.join(str(error).split())[:300]}")


def compact(writer: "Writer", run_id: str, origin: str = "run") -> None:
    """Put small parts of the run, or of what was added to it, together.

    Old files go when nobody can be told of them any more. What was added tells by its parts which deals have rows:
    only neighbours are put together.
    """
    for table in ROW_TABLES:
        small = [part for part in writer.parts(level=table.name, origin=origin) if part.n_bytes < _SMALL_BYTES]
        for parts in _portions(small, is_gapless=origin != "run"):
            if len(parts) > 1:
                writer.replace_parts([part.path for part in parts], [_put_together(parts, run_id)])
                writer.snapshot()  # readers of the one before would miss the old files
                for part in parts:
                    delete_part(part.path)


def _portions(parts: list[Part], *, is_gapless: bool) -> Iterator[list[Part]]:
    portion: list[Part] = []
    size = 0
    for part in parts:
        is_apart = is_gapless and bool(portion) and not _are_neighbours(portion[-1], part)
        if is_apart or size + part.n_bytes > _LARGE_BYTES:
            yield portion
            portion, size = [], 0
        portion.append(part)
        size += part.n_bytes
    yield portion


def _are_neighbours(part: Part, later: Part) -> bool:
    return (part.line_up, part.first_group + part.n_groups) == (later.line_up, later.first_group)


def _put_together(parts: list[Part], run_id: str) -> Part:
    from razzsim.runner.recorder import parquet_writer

    first = parts[0]
    folder = part_folder(first.path.rpartition("/")[0])
    name = f"{first.level}-{run_id}-all-{uuid.uuid4().hex[:8]}.parquet"
    with parquet_writer(folder, name, first.level) as out:
        for table in _tables(parts):
            out.write_table(table)
    line_ups = {part.line_up for part in parts}
    begin, end = min(part.first_group for part in parts), max(part.first_group + part.n_groups for part in parts)
    path, n_bytes = folder.finish(name)
    line_up = line_ups.pop() if len(line_ups) == 1 else None
    n_rows = sum(part.n_rows for part in parts)
    return Part(path, first.level, line_up, begin, end - begin, first.sample, n_rows, n_bytes, first.origin)


def _tables(parts: list[Part]) -> "Iterator[pa.Table]":
    """The rows of the parts in pieces as large as a row group: many small groups pack badly."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from razzsim.runner.recorder import ROW_GROUP

    gathered: list[pa.Table] = []
    for part in parts:
        path, filesystem = readable(part.path)
        gathered.append(pq.read_table(path, filesystem=filesystem))
        if sum(map(len, gathered)) >= ROW_GROUP:
            yield pa.concat_tables(gathered)
            gathered = []
    if gathered:
        yield pa.concat_tables(gathered)
