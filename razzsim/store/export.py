"""A whole result as files that other programs read: one file a table, view and row level."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from razzsim.store.catalog import NAMES
from razzsim.store.errors import QueryError, StoreError
from razzsim.store.questions import Questions

_BATCH_ROWS = 100_000
_WRITING = ".writing"


def export(results: Questions, folder: Path, kind: str) -> list[tuple[Path, int]]:
    """Write everything into a new folder, kind: parquet or csv, or nothing; returns files and their rows.

    Raises StoreError kinds, OSError.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise StoreError(f"{folder}: exists already and is not an empty folder")
    names = [row["name"] for row in results.query(NAMES).to_pylist()]
    with _all_or_nothing(folder):
        written = [(folder / f"{name}.{kind}", name) for name in names]
        counts = [_write(results, name, path.with_name(path.name + _WRITING), kind) for path, name in written]
        for path, _ in written:
            path.with_name(path.name + _WRITING).rename(path)
    return [(path, n) for (path, _), n in zip(written, counts, strict=True)]


@contextmanager
def _all_or_nothing(folder: Path) -> Iterator[None]:
    is_new = not folder.exists()
    folder.mkdir(exist_ok=True)
    try:
        yield
    except BaseException:
        for path in folder.iterdir():  # it was empty: all of it is ours
            path.unlink()
        if is_new:
            with suppress(OSError):
                folder.rmdir()
        raise


def _write(results: Questions, name: str, path: Path, kind: str) -> int:
    sql = f'SELECT * FROM "{name}"'
    if kind == "csv":
        sql = _flat(results, sql)
    writer_of: Callable[..., pq.ParquetWriter | pa_csv.CSVWriter]
    writer_of = pa_csv.CSVWriter if kind == "csv" else pq.ParquetWriter
    n = 0
    try:
        with results.asked(sql) as relation:
            batches = relation.to_arrow_reader(_BATCH_ROWS)
            with writer_of(path, batches.schema) as writer:
                for batch in batches:
                    writer.write_batch(batch)
                    n += batch.num_rows
    except QueryError as error:
        raise QueryError(f"{name}: {error}") from None
    return n


def _flat(results: Questions, sql: str) -> str:
    """Lists as text: CSV has no lists."""
    nested = [field.name for field in results.query(f"{sql} LIMIT 0").schema if pa.types.is_nested(field.type)]
    texts = ", ".join(f'"{name}"::VARCHAR AS "{name}"' for name in nested)
    return sql.replace("*", f"* REPLACE ({texts})", 1) if nested else sql
