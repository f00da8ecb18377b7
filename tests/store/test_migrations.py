"""A file of an older schema becomes what a new one is, after a copy of it, or stays as it was.

tests/data/schema_1.sql is a whole run of schema version 1, schema_2.sql an unfinished one of version 2: the tables and
views that razzsim made then, and its rows.
"""

import json
import logging
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

from razzsim import StoreError, records
from razzsim.plan import Plan
from razzsim.runner import session
from razzsim.runner.jobs import Workbench
from razzsim.runner.replay import StoredRun
from razzsim.runner.rows import rows_of
from razzsim.runner.verify import verify
from razzsim.store import CommittedChunk, HeldError, NotAResultError, Reader, Writer, database
from razzsim.store.database import connect, create_schema
from tests.cli.conftest import Answer, call, process

DATA_FOLDER = Path(__file__).parents[1] / "data"
OLD, SECOND = ((DATA_FOLDER / f"schema_{version}.sql").read_text("utf-8") for version in (1, 2))
SHAPE = {
    "tables": "SELECT table_name, comment, has_primary_key FROM duckdb_tables() WHERE NOT internal ORDER BY ALL",
    "columns": "SELECT table_name, column_index, column_name, data_type, is_nullable, column_default, comment "
    "FROM duckdb_columns() WHERE NOT internal ORDER BY table_name, column_index",
    "constraints": "SELECT table_name, constraint_type, constraint_column_names, constraint_text "
    "FROM duckdb_constraints() ORDER BY ALL",
    "views": "SELECT view_name, comment, sql FROM duckdb_views() WHERE NOT internal ORDER BY ALL",
}
CHUNKS = "run_id, line_up, first_group, n_groups, n_hands, n_decisions, chunk_s, cpu_s, worker, attempt, committed_at"
KEPT = ("entrants", "line_ups", "group_sums", "group_cross")
DATA = {table: f"SELECT * FROM {table} ORDER BY ALL" for table in KEPT} | {
    "chunks": f"SELECT {CHUNKS} FROM chunks ORDER BY ALL"
}
SAID = "x.duckdb: brought from schema version 1 to 3; as it was: "


def made(sql: str, folder: Path) -> Path:
    """x.duckdb of these statements."""
    path = folder / "x.duckdb"
    connection = connect(path, read_only=False)
    connection.execute(sql)
    connection.close()
    return path


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """x.duckdb of schema version 1."""
    return made(OLD, tmp_path_factory.mktemp("first"))


@pytest.fixture
def old(first: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copy(first, tmp_path))


def told(path: Path, questions: dict[str, str]) -> dict[str, list[Any]]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return {name: connection.execute(sql).fetchall() for name, sql in questions.items()}


@pytest.mark.parametrize("version", [1, 2])
def test_an_old_file_becomes_what_a_new_one_is(version: int, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    old = made({1: OLD, 2: SECOND}[version], tmp_path)
    before, data = old.read_bytes(), told(old, DATA)
    with caplog.at_level(logging.WARNING), Reader(old) as reader:
        ranks = [row["rank"] for row in reader.query("SELECT rank FROM standings").to_pylist()]
        assert ranks == {1: [1, 2], 2: []}[version]
        (run,) = reader.query("SELECT * FROM runs").to_pylist()
    backup = old.with_name(f"x.schema{version}.duckdb")
    assert caplog.messages == [f"{old}: brought from schema version {version} to 3; as it was: {backup}"]
    assert backup.read_bytes() == before
    assert (run["schema_version"], run["label"], run["note"]) == (records.SCHEMA_VERSION, None, None)
    assert json.loads(run["record"]) == {"level": "sums", "sample": 1}
    assert (run["shard"], run["n_shards"]) == (None, None)
    assert told(old, DATA) == data
    new = connect(tmp_path / "new.duckdb", read_only=False)
    create_schema(new)
    new.close()
    ours, theirs = told(old, SHAPE), told(tmp_path / "new.duckdb", SHAPE)
    for name, rows in theirs.items():
        assert ours[name] == rows, name

    migrated = old.read_bytes()
    caplog.clear()
    Reader(old).close()
    assert caplog.messages == []
    assert old.read_bytes() == migrated
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.duckdb", "x.duckdb", backup.name]


def test_the_program_says_it_on_stderr(old: Path) -> None:
    answer = process("query", "x.duckdb", "SELECT count(*) AS n FROM behaviour", "--format", "csv", cwd=old.parent)
    assert (answer.code, answer.out, answer.err) == (0, "n\n0\n", f"{SAID}x.schema1.duckdb\n")


def test_a_copy_that_exists_is_not_written_over(old: Path) -> None:
    before = old.read_bytes()
    old.with_name("x.schema1.duckdb").write_text("mine")
    with pytest.raises(StoreError, match=r"has schema version 1, and its copy .*x\.schema1\.duckdb exists already"):
        Reader(old)
    assert old.read_bytes() == before
    assert old.with_name("x.schema1.duckdb").read_text() == "mine"


def test_a_copy_that_a_killed_migration_left_is_used(old: Path) -> None:
    """It is the file, byte for byte; half a copy is written over."""
    backup = old.with_name("x.schema1.duckdb")
    before = old.read_bytes()
    backup.write_bytes(before)
    old.with_name("x.schema1.duckdb.writing").write_bytes(before[:99])
    answer = call("status", "x.duckdb", cwd=old.parent)
    assert answer.code == 0, answer.err
    assert backup.read_bytes() == before
    assert sorted(path.name for path in old.parent.iterdir()) == ["x.duckdb", "x.schema1.duckdb"]


def test_a_migration_that_fails_leaves_the_file_as_it_was(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = old.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(database, "create_views", lambda connection: connection.execute("SELECT * FROM nothing_such"))
        answer = call("status", "x.duckdb", cwd=old.parent)
    assert answer.code == 4
    assert answer.error.startswith("x.duckdb: cannot be brought from schema version 1 to today's: Catalog Error")
    assert old.read_bytes() == before
    assert [path.name for path in old.parent.iterdir()] == ["x.duckdb"]
    Reader(old).close()


WRITES = (
    "import sys; from pathlib import Path; from razzsim.store import database; database.connect(Path(sys.argv[1]), "
)
WRITES += "read_only=False)"


def test_nobody_else_writes_while_it_is_changed(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither before nor after the copy: a process that closes a file gives up its locks on it."""
    heard, run_migrations = [], database._run_migrations

    def after_the_copy(connection: database.Connection, version: int) -> None:
        done = subprocess.run([sys.executable, "-c", WRITES, old], capture_output=True, text=True, check=False)
        heard.append(done.stderr.splitlines()[-1])
        run_migrations(connection, version)

    monkeypatch.setattr(database, "_run_migrations", after_the_copy)
    Reader(old).close()
    assert [f"is held open by process {os.getpid()}" in words for words in heard] == [True], heard


WITHOUT_PRIVILEGES = """
import ctypes, sys
for capability in (1, 2):  # root may write anywhere, unless it gives that up for the programs it starts
    ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)
import os
os.execv(sys.executable, [sys.executable, "-c", "from razzsim.cli.app import main; main()", *sys.argv[1:]])
"""


@pytest.mark.parametrize("locked", ["folder", "file"])
def test_where_nothing_may_be_written_it_is_one_line(locked: str, old: Path) -> None:
    before = old.read_bytes()
    place = old.parent if locked == "folder" else old
    mode = place.stat().st_mode
    place.chmod(0o555 if locked == "folder" else 0o444)
    try:
        words = [sys.executable, "-c", WITHOUT_PRIVILEGES, "status", "x.duckdb"]
        done = subprocess.run(words, cwd=old.parent, capture_output=True, text=True, check=False)
    finally:
        place.chmod(mode)
    answer = Answer(done.returncode, done.stdout, done.stderr)
    assert answer.code == 4, answer
    assert answer.error.startswith("x.duckdb: cannot be ")
    assert "permission denied" in answer.error.lower()
    assert old.read_bytes() == before
    assert os.listdir(old.parent) == ["x.duckdb"]


def test_a_newer_file_is_refused_in_words(old: Path) -> None:
    with duckdb.connect(str(old)) as connection:
        connection.execute("UPDATE runs SET schema_version = 9")
    before = old.read_bytes()
    with pytest.raises(NotAResultError, match="has schema version 9, this razzsim reads up to 3: use a newer one"):
        Reader(old)
    assert old.read_bytes() == before


HOLDS = """
import sys
from pathlib import Path
from razzsim.store.database import connect, write_snapshot
path = Path(sys.argv[1])
connection = connect(path, read_only=False)
print("held", flush=True)
sys.stdin.readline()
write_snapshot(connection, path)
print("snapshot", flush=True)
sys.stdin.readline()
"""


def test_a_file_that_is_written_is_read_as_it_is(old: Path, caplog: pytest.LogCaptureFixture) -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", HOLDS, str(old)], stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        with pytest.raises(HeldError, match=f"is held open by process {process.pid}"):
            Reader(old)
        print(file=process.stdin, flush=True)
        assert process.stdout.readline() == "snapshot\n"
        with Reader(old) as reader:
            assert reader.query("SELECT schema_version FROM runs").to_pylist() == [{"schema_version": 1}]
            assert reader.query("SELECT count(*) AS n FROM standings").to_pylist() == [{"n": 2}]
        print(file=process.stdin, flush=True)
    assert caplog.messages == []
    assert told(old, {"runs": "SELECT schema_version FROM runs"}) == {"runs": [(1,)]}
    assert not old.with_name("x.schema1.duckdb").exists()


def test_an_unfinished_run_without_counters_does_not_go_on(old: Path) -> None:
    with duckdb.connect(str(old)) as connection:
        connection.execute("UPDATE runs SET status = 'stopped'")
    Reader(old).close()
    before = old.read_bytes()
    with pytest.raises(StoreError, match=r"was begun by razzsim 0\.1\.0, which did not count behaviour: .* new run"):
        session.resume(old, session.Options(local=True))
    assert old.read_bytes() == before


def test_an_unfinished_run_of_version_2_goes_on(tmp_path: Path) -> None:
    """Its sums are those of the same plan played at once; what was played before has no digest."""
    path = made(SECOND, tmp_path)
    with Reader(path) as reader:
        plan = Plan.from_json(reader.run_row()["plan"])
    assert session.resume(path, session.Options(local=True)).status == "complete"
    bench = Workbench(plan)
    writer = Writer.create(tmp_path / "new.duckdb", *rows_of(plan))
    answers = [bench.play(chunk).sums for chunk in plan.chunks()]
    writer.commit([CommittedChunk(packed, "w", 1) for packed in answers if packed is not None])
    writer.finish("complete", "all deals played", 0.0)
    writer.close()
    tables = {name: f"SELECT * FROM {name} ORDER BY ALL" for name in (*KEPT, "behaviour", "start_hands", "top_pots")}
    assert told(path, tables) == told(tmp_path / "new.duckdb", tables)
    digests = {"digests": "SELECT first_group, digest IS NULL FROM chunks ORDER BY ALL"}
    assert told(path, digests) == {"digests": [(0, True), (4, False), (8, True), (12, False)]}
    verified = verify(StoredRun.read(path), 1.0, 0, session.Options(local=True), session.Watch())
    assert (verified.n_chunks, verified.n_without_digest, verified.difference) == (4, 2, None)
