"""`razzsim export`: every table and view and all rows, as they are, in whole files or none."""

import csv
import shutil

import duckdb
import pyarrow.parquet as pq
import pytest

from razzsim import records
from razzsim.store import Reader
from tests.cli.conftest import call

SQL = "SELECT * FROM {} ORDER BY ALL"


@pytest.fixture
def result(folder, first, tmp_path):
    """x.duckdb with two rows of groups in a part."""
    assert first.code == 0
    path = tmp_path / "x.duckdb"
    shutil.copy(folder / "tiny.duckdb", path)
    with duckdb.connect(str(path)) as connection:
        row = "SELECT 'r' AS run_id, 0 AS line_up, range AS deal, 0 AS entrant, 5 AS net_chips FROM range(2)"
        (tmp_path / "x.parts").mkdir()
        connection.execute(f"COPY ({row}) TO '{tmp_path}/x.parts/p.parquet'")
        connection.execute("INSERT INTO parts BY NAME SELECT 'r' AS run_id, 'groups' AS level, 'p.parquet' AS path")
    return path


def names_of(path):
    with Reader(path) as reader:
        rows = reader.query("SELECT view_name AS name FROM duckdb_views() WHERE NOT internal").to_pylist()
    return {*(row["name"] for row in rows), *(table.name for table in records.TABLES)}


def test_everything_is_written_as_parquet(result):
    answer = call("export", "x.duckdb", "all", cwd=result.parent)
    assert (answer.code, answer.err) == (0, "")
    folder, names = result.parent / "all", names_of(result)
    assert {"standings", "head_to_head", "hands", "groups", "behaviour"} <= names
    assert {path.name for path in folder.iterdir()} == {f"{name}.parquet" for name in names}
    told = dict(line.removesuffix(" rows").split(": ") for line in answer.out.splitlines())
    with Reader(result) as reader, duckdb.connect() as connection:
        for name in names:
            rows = reader.query(SQL.format(name))
            path = folder / f"{name}.parquet"
            theirs = connection.sql(SQL.format(f"'{path}'")).to_arrow_table()
            assert theirs.to_pylist() == rows.to_pylist(), name
            assert told[f"all/{name}.parquet"] == f"{rows.num_rows:,}"
    assert told["all/groups.parquet"] == "2"
    sums = pq.read_table(folder / "group_sums.parquet").schema
    assert str(sums.field("net_sq").type).startswith("decimal128(38")  # exact


def test_everything_is_written_as_csv(result):
    answer = call("export", "x.duckdb", "all", "--format", "csv", cwd=result.parent)
    assert (answer.code, answer.err) == (0, "")
    folder = result.parent / "all"
    assert {path.name for path in folder.iterdir()} == {f"{name}.csv" for name in names_of(result)}
    with (folder / "line_ups.csv").open(newline="") as stream:
        assert [row["entrants"] for row in csv.DictReader(stream)] == ["[0, 1]"]
    with Reader(result) as reader, (folder / "group_sums.csv").open(newline="") as stream:
        sums = reader.query("SELECT net_sq::VARCHAR AS net_sq FROM group_sums").to_pylist()
        assert [row["net_sq"] for row in csv.DictReader(stream)] == [row["net_sq"] for row in sums]
    with Reader(result) as reader, (folder / "runs.csv").open(newline="") as stream:
        assert next(csv.DictReader(stream))["config"] == reader.run_row()["config"]


def test_a_folder_with_something_in_it_is_refused(result):
    (result.parent / "empty").mkdir()
    assert call("export", "x.duckdb", "empty", cwd=result.parent).code == 0
    before = {path: path.read_bytes() for path in (result.parent / "empty").iterdir()}
    for name in ("empty", "x.duckdb"):
        answer = call("export", "x.duckdb", name, "--format", "csv", cwd=result.parent)
        assert (answer.code, answer.error) == (2, f"{name}: exists already and is not an empty folder")
    assert {path: path.read_bytes() for path in (result.parent / "empty").iterdir()} == before
    answer = call("export", "x.duckdb", "no/where", cwd=result.parent)
    assert (answer.code, answer.error) == (4, "no/where: no such file or directory")


def test_what_cannot_be_read_leaves_no_files(result):
    (result.parent / "x.parts" / "p.parquet").unlink()
    for folder, exists in (("new", False), ("empty", True)):
        if exists:
            (result.parent / folder).mkdir()
        answer = call("export", "x.duckdb", folder, cwd=result.parent)
        assert answer.code == 2
        assert "groups: 1 of 1 parts missing, the first is " in answer.error
        assert (result.parent / folder).exists() == exists
        assert not exists or not list((result.parent / folder).iterdir())
