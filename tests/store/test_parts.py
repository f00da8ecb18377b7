"""Rows in Parquet parts: found wherever they were moved to with their file; a part that is gone stops only its rows."""

import shutil
from dataclasses import replace
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from razzsim.schema import arrow_rows
from razzsim.store import QueryError, Reader, Writer
from razzsim.store.part import Part
from tests.store.test_store import ask, chunk, new_writer


def part(folder: Path, level: str, first: int) -> Part:
    """A Parquet file of two rows."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{level}-{first}.parquet"
    rows = [{"run_id": "r", "line_up": 0, "deal": first + i} for i in (0, 1)]
    pq.write_table(arrow_rows(level, rows), path)
    return Part(str(path), level, 0, first, 2, 1.0, 2, path.stat().st_size, "run")


@pytest.fixture
def result(tmp_path: Path) -> Path:
    """x.duckdb with two parts of hands and one of groups."""
    path = tmp_path / "x.duckdb"
    writer = new_writer(path)
    folder = tmp_path / "x.parts"
    parts = [part(folder, "hands", 0), part(folder, "hands", 2), part(folder, "groups", 0)]
    writer.commit([replace(chunk(0), parts=parts)])
    writer.finish("complete", "all deals played", 1.0)
    writer.close()
    return path


def test_parts_are_found_where_file_and_folder_were_moved(result: Path) -> None:
    assert ask(result, "SELECT sum(deal) FROM hands") == [(6,)]
    moved = result.parent / "elsewhere"
    moved.mkdir()
    for name in ("x.duckdb", "x.parts"):
        shutil.move(result.parent / name, moved / name)
    assert ask(moved / "x.duckdb", "SELECT sum(deal) FROM hands") == [(6,)]


@pytest.mark.parametrize("broken", [False, True])
def test_only_questions_for_the_missing_rows_fail(broken: bool, result: Path) -> None:
    gone = result.parent / "x.parts" / "hands-2.parquet"
    gone.unlink()
    for name in ("hands-0", "hands-2") if broken else ():
        (result.parent / "x.parts" / f"{name}.parquet").write_text("no rows")
    words = r"[Nn]o magic bytes|too small" if broken else rf"hands: 1 of 2 parts missing, the first is {gone}"
    with Reader(result) as reader:
        for sql in ("SELECT * FROM hands", "SELECT count(*) FROM runs, hands"):
            with pytest.raises(QueryError, match=words) as refused:
                reader.query(sql)
            assert "\n" not in str(refused.value)
        assert reader.query("SELECT count(*) AS n FROM groups").to_pylist() == [{"n": 2}]
        assert reader.query("SELECT count(*) AS n FROM chunks").to_pylist() == [{"n": 1}]


def test_a_run_whose_parts_are_gone_can_still_be_written(result: Path) -> None:
    shutil.rmtree(result.parent / "x.parts")
    writer = Writer.open(result, "r")
    writer.snapshot()
    writer.finish("stopped", "stopped", 1.0)
    writer.close()
    assert ask(result, "SELECT status FROM runs") == [("stopped",)]


def test_a_result_that_names_other_files_as_rows_reads_none_of_them(tmp_path: Path) -> None:
    """And a part is only read: EXPLAIN ANALYZE executes its statement."""
    (tmp_path / "secret.txt").write_text("secret")
    path = tmp_path / "x.duckdb"
    new_writer(path).close()
    with duckdb.connect(str(path)) as forged:
        forged.execute(f"INSERT INTO parts (run_id, level, path) VALUES ('r', 'groups', '{tmp_path}/secret.txt')")
    with Reader(path) as reader:
        for sql in (
            f"SELECT content FROM read_text('{tmp_path}/secret.txt')",
            f"EXPLAIN ANALYZE COPY (SELECT 1) TO '{tmp_path}/secret.txt' (FORMAT csv, USE_TMP_FILE false)",
        ):
            with pytest.raises(QueryError):
                reader.query(sql)
    assert (tmp_path / "secret.txt").read_text() == "secret"
