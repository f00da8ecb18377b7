"""Several runs in one place: `label` and `runs`, and questions to many files as one."""

import json
import shutil
import subprocess
import sys

import duckdb
import pytest

from razzsim import StoreError, records
from razzsim.store import QueryError, Reader
from razzsim.store.several import open_results
from tests.cli.conftest import call, process
from tests.cli.test_query import HOLDS, OTHER_FILES
from tests.store.test_migrations import OLD

FILES = ("runs/a.duckdb", "runs/more/b.duckdb")


def copy(source, target, run_id):
    """The result as another run."""
    shutil.copy(source, target)
    with duckdb.connect(str(target)) as connection:
        for table in records.TABLES:
            connection.execute(f"UPDATE {table.name} SET run_id = '{run_id}'")


@pytest.fixture(scope="session")
def two(folder, first, tmp_path_factory):
    """runs/a.duckdb, runs/more/b.duckdb: two finished runs, 'a' and 'b'."""
    assert first.code == 0
    made = tmp_path_factory.mktemp("two")
    (made / "runs" / "more").mkdir(parents=True)
    copy(folder / "tiny.duckdb", made / "runs" / "a.duckdb", "a")
    copy(folder / "tiny.duckdb", made / "runs" / "more" / "b.duckdb", "b")
    return made


@pytest.fixture
def place(two, tmp_path):
    """A copy of them."""
    return shutil.copytree(two, tmp_path, dirs_exist_ok=True)


def held(path, run_id):
    pipe = subprocess.PIPE
    writer = subprocess.Popen([sys.executable, "-c", HOLDS, str(path), run_id], stdin=pipe, stdout=pipe, text=True)
    assert writer.stdout.readline() == "ready\n"
    return writer


def csv_of(place, *words):
    answer = call("query", *words, "--format", "csv", cwd=place)
    assert (answer.code, answer.err) == (0, "")
    return answer.out


def test_a_label_and_a_note_stay_with_the_run(place):
    asked = ("runs/a.duckdb", "SELECT label, note FROM runs")
    answer = call("label", "runs/a.duckdb", "base line", "--note", "before the [new] thief", cwd=place)
    assert (answer.code, answer.out, answer.err) == (0, "runs/a.duckdb: run a is 'base line' now\n", "")
    assert csv_of(place, *asked) == "label,note\nbase line,before the [new] thief\n"
    assert call("label", "runs/a.duckdb", "other", cwd=place).code == 0
    assert csv_of(place, *asked) == "label,note\nother,before the [new] thief\n"
    assert call("label", "runs/a.duckdb", "", "--note", "", cwd=place).out == "runs/a.duckdb: run a has no label now\n"
    assert csv_of(place, *asked) == "label,note\n,\n"


def test_a_label_is_printable_and_on_one_line(place):
    for wrong, shown in (("two\nlines", "'two\\nlines'"), ("\x1b[31mred", "'\\x1b[31mred'")):
        answer = call("label", "runs/a.duckdb", wrong, cwd=place)
        assert (answer.code, f"{shown} is not allowed: printable characters on one line" in answer.error) == (2, True)
    with duckdb.connect(str(place / "runs" / "a.duckdb")) as connection:  # as an older razzsim let it be
        connection.execute("UPDATE runs SET label = 'two' || chr(10) || 'lines', note = 'a' || chr(10) || 'b'")
    _, line, *others = call("runs", "runs", cwd=place).out.splitlines()
    assert (line.split()[3], len(others)) == ("two\\nlines", 1)
    assert call("query", "runs/a.duckdb", "SELECT note FROM runs", cwd=place).out.splitlines() == ["note", "a\\nb"]


def test_of_several_runs_in_a_file_one_is_labelled(place):
    with duckdb.connect(str(place / FILES[0])) as connection:
        connection.execute("INSERT INTO runs SELECT * REPLACE ('other' AS run_id) FROM runs")
    answer = call("label", FILES[0], "base", cwd=place)
    assert (answer.code, answer.error) == (2, f"{FILES[0]}: holds 2 runs, name one with --run; there are: a, other")
    assert call("label", FILES[0], "base", "--run", "other", cwd=place).code == 0
    assert csv_of(place, FILES[0], "SELECT label FROM runs ORDER BY run_id") == 'label\n""\nbase\n'
    answer = call("resume", FILES[0], "--local", cwd=place)
    assert "holds 2 runs, only a file of one run can go on; there are: a, other" in answer.error


def test_a_run_that_is_being_written_cannot_be_labelled(place):
    with held(place / "runs" / "a.duckdb", "a") as writer:
        answer = call("label", "runs/a.duckdb", "base", cwd=place)
        assert (answer.code, answer.error) == (2, f"runs/a.duckdb: is held open by process {writer.pid}")
        print(file=writer.stdin, flush=True)
    assert (place / "runs" / "a.duckdb").exists()
    assert csv_of(place, "runs/a.duckdb", "SELECT label FROM runs") == 'label\n""\n'


def test_runs_lists_every_run_and_names_what_is_none(place):
    runs = place / "runs"
    (runs / "text.duckdb").write_text("not a database")
    with duckdb.connect(str(runs / "theirs.duckdb")) as connection:
        connection.execute("CREATE TABLE t (a INTEGER)")
        connection.execute("ATTACH 'x.duckdb'".replace("x.duckdb", str(runs / "old.duckdb")))
        connection.execute(f"USE old; {OLD}")
    shutil.copy(runs / "old.duckdb", runs / "older.schema1.duckdb")
    assert call("label", "runs/more/b.duckdb", "base", cwd=place).code == 0
    before = {path: path.read_bytes() for path in runs.rglob("*.duckdb")}
    answer = call("runs", cwd=place)
    assert answer.code == 0
    head, *lines = answer.out.splitlines()
    assert head.split() == ["file", "run", "name", "label", "status", "schedule", "hands", "first", "BB/100", "created"]
    told = [line.split() for line in lines]
    leading = csv_of(place, FILES[0], "SELECT entrant, bb100 FROM standings WHERE rank = 1")
    leader, bb100 = leading.split()[1].split(",")
    first = [leader, f"{float(bb100):+.2f}"]
    assert [line[:-2] for line in told] == [
        ["runs/a.duckdb", "a", "tiny", "complete", "heads_up", "400", *first],
        ["runs/more/b.duckdb", "b", "tiny", "base", "complete", "heads_up", "400", *first],
        ["runs/old.duckdb", "16aa1133b89a", "old", "complete", "heads_up", "64", "caller", "+6.25"],
    ]
    assert sorted(answer.err.splitlines()) == [
        "runs/text.duckdb: is not a DuckDB file",
        "runs/theirs.duckdb: is a DuckDB file, but not a result of razzsim",
    ]
    document = json.loads(call("runs", "runs", "--json", cwd=place).out)
    assert [row["label"] for row in document["runs"]] == [None, "base", None]
    assert [row["hands"] for row in document["runs"]] == [400, 400, 64]
    assert {path: path.read_bytes() for path in runs.rglob("*.duckdb")} == before  # nothing is migrated


def test_runs_reads_the_snapshot_of_a_run_that_is_being_written(place):
    path = place / "runs" / "a.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE runs SET status = 'running'")
    assert "unfinished, nobody plays it" in call("runs", cwd=place).out
    with held(path, "a") as writer:
        answer = call("runs", cwd=place)
        assert csv_of(place, "runs", "SELECT count(*) AS n FROM runs") == "n\n2\n"
        print(file=writer.stdin, flush=True)
    assert answer.err == ""
    assert [line.split()[:4] for line in answer.out.splitlines()[1:]] == [
        ["runs/a.duckdb", "a", "tiny", "running"],
        ["runs/more/b.duckdb", "b", "tiny", "complete"],
    ]


def test_runs_where_there_are_none(place):
    (place / "empty").mkdir()
    answer = call("runs", "empty", cwd=place)
    assert (answer.code, answer.error) == (0, "empty: no runs")
    answer = call("runs", "nowhere", cwd=place)
    assert (answer.code, answer.error) == (2, "razzsim runs: Invalid value for DIR: nowhere is no folder")
    answer = call("query", "empty", "SELECT 1", cwd=place)
    assert (answer.code, answer.error) == (2, "empty: is a folder without results")


def test_several_files_are_asked_as_one(place):
    sql = "SELECT run_id, entrant, rank, hands, net_chips FROM standings ORDER BY ALL"
    one = csv_of(place, FILES[0], sql).splitlines()
    two = csv_of(place, FILES[1], sql).splitlines()
    assert csv_of(place, *FILES, sql).splitlines() == one + two[1:]
    assert csv_of(place, "runs", sql) == csv_of(place, *FILES, sql)


def test_every_table_and_view_has_the_rows_of_all_files(place):
    """That have a run_id; what has none says the same of every run."""
    names = "SELECT DISTINCT table_name AS name FROM duckdb_columns() WHERE NOT internal AND column_name = 'run_id'"
    with Reader(place / FILES[0]) as reader:
        told = sorted(row["name"] for row in reader.query(names).to_pylist())
    assert {"standings", "head_to_head", "behaviour", "hands", *(table.name for table in records.TABLES)} <= set(told)
    count = "SELECT '{0}' AS name, run_id, count(*) AS n FROM {0} GROUP BY ALL"
    counts = " UNION ALL ".join(count.format(name) for name in told)
    rows = []
    for files in ([FILES[0]], [FILES[1]], FILES):
        with open_results([place / file for file in files]) as results:
            rows.append(results.query(f"{counts} ORDER BY run_id, name").to_pylist())
    one, two, both = rows
    assert len(one) > 10
    assert both == one + two


def test_no_hand_counts_twice(place):
    shutil.copy(place / FILES[0], place / "copy.duckdb")
    for files, said in (
        ((FILES[0], FILES[0]), "runs/a.duckdb: is the same file as runs/a.duckdb: "),
        (("runs", "runs/more/b.duckdb"), "runs/more/b.duckdb: is the same file as runs/more/b.duckdb: "),
        ((FILES[0], "copy.duckdb"), "copy.duckdb: holds run a, as runs/a.duckdb does: "),
    ):
        answer = call("query", *files, "SELECT 1", cwd=place)
        assert (answer.code, answer.error) == (2, said + "its hands would count twice")
    with pytest.raises(StoreError, match="twice"):
        open_results([place / FILES[0]] * 2)


def test_what_is_no_result(place):
    (place / "runs" / "text.duckdb").write_text("not a database")
    said = "runs/text.duckdb: is not a DuckDB file"
    answer = call("query", FILES[0], "runs/text.duckdb", "SELECT 1", cwd=place)
    assert (answer.code, answer.error) == (2, said)
    answer = process("query", "runs", "SELECT count(*) AS n FROM runs", "--format", "csv", cwd=place)
    assert (answer.code, answer.out, answer.err) == (0, "n\n2\n", f"left out: {said}\n")


@pytest.fixture(scope="module")
def opened(two):
    """Both files, opened as one."""
    with open_results([two / file for file in FILES]) as results:
        yield results


@pytest.mark.parametrize("sql", [*OTHER_FILES, "DELETE FROM file_0.runs", "EXPLAIN ANALYZE DELETE FROM file_0.runs"])
def test_several_files_are_only_read_too(sql, two, opened, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.txt").write_text("a\nsecret words\n")
    before = {path: path.read_bytes() for folder in (two, tmp_path) for path in folder.rglob("*") if path.is_file()}
    with pytest.raises(QueryError) as refused:
        opened.query(sql)
    assert "secret words" not in str(refused.value)
    after = {path: path.read_bytes() for folder in (two, tmp_path) for path in folder.rglob("*") if path.is_file()}
    assert after == before


def test_rows_of_parts_are_found_for_every_file(place):
    """Parts of one run in the folder beside it, of the other where the table says."""
    for run_id, file in zip("ab", FILES, strict=True):
        parts = (place / file).with_suffix(".parts") if run_id == "a" else place / "elsewhere.parts"
        parts.mkdir()
        row = f"SELECT '{run_id}' AS run_id, 0 AS line_up, 1::BIGINT AS deal, 0 AS entrant, 5 AS net_chips"
        with duckdb.connect(str(place / file)) as connection:
            connection.execute(f"COPY ({row}) TO '{parts / f'{run_id}.parquet'}'")
            told = place / "gone" if run_id == "a" else parts
            row = f"SELECT '{run_id}' AS run_id, 'groups' AS level, '{told}/{run_id}.parquet' AS path"
            connection.execute(f"INSERT INTO parts BY NAME {row}")
    assert csv_of(place, *FILES, "SELECT run_id, net_chips FROM groups ORDER BY 1") == "run_id,net_chips\na,5\nb,5\n"
    with Reader(place / FILES[0]) as reader:
        assert reader.query("SELECT run_id FROM groups").to_pylist() == [{"run_id": "a"}]
