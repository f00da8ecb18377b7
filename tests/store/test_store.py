"""A result file: each chunk enters once and whole or not at all, sums are exact, readers can do nothing but read.

Authority: architecture (law 2 whole numbers, law 3 committing twice is the same as once, one writer), statistics
(only the contiguous prefix of complete batches is looked at), faults G5 (a chunk counted twice) and G6 (drifting
sums).
"""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from razzsim import records, sums
from razzsim.store import CommittedChunk, HeldError, NotAResultError, QueryError, Reader, Writer

BATCH, DEALS = 8, 32
CHUNK = 4
BIG = 1 << 60


def new_writer(path: Path, line_ups: int = 1) -> Writer:
    """A run of two entrants, 32 deals a line-up, batches of 8."""
    run = {"run_id": "r", "name": "n", "deals": DEALS, "batch_groups": BATCH, "schema_version": records.SCHEMA_VERSION}
    run |= {"wall_s": 0.0, "attempt": 1, "status": "running"}
    entrants = [{"run_id": "r", "entrant": number, "name": name} for number, name in enumerate("ab")]
    bets = {"small_bet_chips": 20, "big_bet_chips": 40}
    base = {"run_id": "r", "structure": "table", "entrants": [0, 1], "rotations": 2, "deals_done": 0, "status": "open"}
    return Writer.create(path, run, entrants, [{**base, **bets, "line_up": number} for number in range(line_ups)])


def chunk(first: int, net: int = 1, square: int = 5, line_up: int = 0) -> CommittedChunk:
    """Four groups: a won net chips altogether, b lost them."""
    header = dict.fromkeys(sums.HEADER, 1) | {"line_up": line_up, "first_group": first, "n_groups": CHUNK}
    header |= {"n_hands": 2 * CHUNK}
    words = (square >> 62, square & (1 << 62) - 1)
    rows = [[2 * CHUNK, CHUNK, sign * net, *words, 0] for sign in (1, -1)]
    minus = (-square >> 62, -square & (1 << 62) - 1)
    blocks = {name: np.zeros((0, len(columns)), np.int64) for name, columns in sums.BLOCKS.items()}
    blocks |= {"entrants": np.array(rows), "pairs": np.array([minus])}
    return CommittedChunk(sums.pack(header, blocks), "w", 1)


def ask(path: Path, sql: str) -> list[tuple[Any, ...]]:
    with Reader(path) as reader:
        return [tuple(row.values()) for row in reader.query(sql).to_pylist()]


def test_a_chunk_committed_twice_counts_once(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    writer = new_writer(path)
    assert len(writer.commit([chunk(0), chunk(0), chunk(4)])) == 2
    assert writer.commit([chunk(4), chunk(0)]) == []
    writer.close()
    again = Writer.open(path, "r")
    assert again.gaps(0, DEALS) == [(8, DEALS)]
    assert len(again.commit([chunk(0), chunk(8)])) == 1
    again.close()
    assert ask(path, "SELECT sum(n_groups), sum(net_chips), sum(net_sq) FROM group_sums WHERE entrant = 0") == [
        (12, 3, 15)
    ]
    assert ask(path, "SELECT count(*) FROM chunks") == [(3,)]


def test_only_complete_batches_of_the_contiguous_prefix_are_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    seen = []
    writer = new_writer(path)
    for first in (4, 8, 12, 20, 28, 0, 16, 24):
        writer.commit([chunk(first, net=1 << first)])
        writer.snapshot()
        done = ask(path, "SELECT deals_done FROM line_ups")[0][0]
        seen.append((done, ask(path, "SELECT groups, net_chips FROM standings WHERE entrant = 'a'")))
    writer.close()
    sixteen = sum(1 << first for first in (0, 4, 8, 12))
    whole = sum(1 << first for first in range(0, DEALS, CHUNK))
    by_24 = whole - (1 << 24) - (1 << 28)
    expected: list[tuple[int, list[tuple[int, int]]]] = [(0, [])] * 5
    assert seen == [*expected, (16, [(16, sixteen)]), (24, [(24, by_24)]), (32, [(32, whole)])]


def test_line_ups_are_compared_on_the_deals_all_of_them_have(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    writer = new_writer(path, line_ups=2)
    writer.commit([chunk(first, net=10, square=99 + first) for first in range(0, 24, CHUNK)])
    writer.commit([chunk(first, net=4, square=50, line_up=1) for first in range(0, 12, CHUNK)])
    writer.close()
    (row,) = ask(path, "SELECT groups, hands, net_chips, se_bb100 FROM standings WHERE entrant = 'a'")
    assert row[:3] == (8, 32, 28)
    spreads = [99 + 103 - 20**2 / 8, 50 + 50 - 8**2 / 8]
    error = sum((spread / 7 * 8) ** 0.5 for spread in spreads)
    assert row[3] == pytest.approx(100 * error / 32 / 40, rel=1e-12)


KILLED = """
import itertools
import sys
from pathlib import Path
from tests.store.test_store import chunk, new_writer
from razzsim.store import Writer
path = Path(sys.argv[1])
writer = Writer.open(path, "r") if path.exists() else new_writer(path)
first = writer.totals()["chunks"] * 4
for n in itertools.count():
    if n == 1:
        print("ready", flush=True)  # not before there is something to keep, however busy the machine is
    writer.commit([chunk(first, net=first, square=first * first), chunk(first + 4, net=7, square=49)])
    first += 8
"""


@pytest.mark.slow
def test_kill_9_leaves_nothing_partial(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    before = 0
    for _ in range(5):
        process = subprocess.Popen([sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        try:
            process.wait(0.3)
        except subprocess.TimeoutExpired:
            process.kill()
        process.wait()
        process.stdout.close()
        ((chunks, groups),) = ask(path, "SELECT count(*), sum(n_groups) FROM chunks")
        firsts = range(0, chunks * 4, 8)
        assert chunks > before and chunks % 2 == 0
        wanted = (groups, sum(firsts) + 7 * len(firsts), sum(f * f + 49 for f in firsts))
        assert ask(path, "SELECT sum(n_groups), sum(net_chips), sum(net_sq) FROM group_sums WHERE entrant = 0") == [
            wanted
        ]
        assert ask(path, "SELECT sum(-net_net) FROM group_cross") == [wanted[2:]]
        assert ask(path, "SELECT deals_done FROM line_ups") == [(groups,)]
        before = chunks


def test_sums_beyond_64_bits_are_exact(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    writer = new_writer(path)
    square = (1 << 110) + 12_345_678_901_234_567
    for first in range(0, DEALS, CHUNK):
        writer.commit([chunk(first, net=BIG + first, square=square + first)])
    writer.close()
    firsts = range(0, DEALS, CHUNK)
    net, squares = sum(BIG + f for f in firsts), sum(square + f for f in firsts)
    assert net > 1 << 62 and squares > 1 << 112
    sql = "SELECT sum(net_chips)::VARCHAR, sum(net_sq)::VARCHAR FROM group_sums GROUP BY entrant ORDER BY entrant"
    assert ask(path, sql) == [(str(net), str(squares)), (str(-net), str(squares))]
    assert ask(path, "SELECT sum(net_net)::VARCHAR FROM group_cross") == [(str(-squares),)]
    assert [int(row[0]) for row in ask(path, "SELECT net_chips FROM standings ORDER BY rank")] == [net, -net]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished result; to write one takes 0.3 s, to copy it nothing."""
    path = tmp_path_factory.mktemp("written") / "clock newer.duckdb"  # words that also occur in DuckDB's messages
    writer = new_writer(path)
    writer.commit([chunk(first) for first in range(0, DEALS, CHUNK)])
    writer.finish("complete", "all deals played", 1.0)
    writer.close()
    return path


@pytest.fixture
def result(written: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copy(written, tmp_path))


REFUSED = [
    "DELETE FROM chunks",
    "INSERT INTO chunks SELECT * FROM chunks",
    "CREATE TABLE t (x INT)",
    "WITH x AS (DELETE FROM chunks RETURNING *) SELECT * FROM x",
    "EXPLAIN ANALYZE DELETE FROM chunks",
    "/* a */ EXPLAIN ANALYZE (FORMAT json) CREATE TEMP VIEW v AS SELECT 1",
    "EXPLAIN ANALYZE CHECKPOINT",
    "COPY chunks TO '{folder}/stolen.csv'",
    "EXPLAIN ANALYZE COPY chunks TO '{folder}/stolen.csv'",
    "ATTACH '{folder}/other.duckdb'",
    "SELECT * FROM read_text('{folder}/secret.txt')",
    "SELECT * FROM read_csv('{folder}/secret.txt')",
    "SELECT * FROM '{folder}/secret.csv'",
    "SELECT * FROM glob('{folder}/*')",
    "SET threads = 1",
    "SET enable_external_access = true",
    "SET lock_configuration = false",
    "RESET enable_external_access",
    "PRAGMA enable_profiling",
    "SELECT * FROM enable_logging()",
    "INSTALL httpfs",
    "LOAD httpfs",
    "CALL enable_logging()",
    "SELECT 1; SELECT 2",
    "SELECT * FROM params",  # a variable of this program
    "SELEC 1",
    "",
]


@pytest.mark.parametrize("sql", REFUSED)
def test_a_reader_can_only_read_the_result(sql: str, result: Path) -> None:
    (result.parent / "secret.txt").write_text("secret")
    (result.parent / "secret.csv").write_text("a\nsecret\n")
    before = result.read_bytes()
    with Reader(result) as reader, pytest.raises(QueryError) as refused:
        reader.query(sql.format(folder=result.parent))
    assert "secret\n" not in str(refused.value)
    assert result.read_bytes() == before
    assert not (result.parent / "stolen.csv").exists()
    assert ask(result, "SELECT count(*) FROM chunks") == [(8,)]


def test_a_reader_answers_questions(result: Path) -> None:
    with Reader(result) as reader:
        assert reader.query("SELECT $x::INT + 1 AS y", {"x": 2}).to_pylist() == [{"y": 3}]
        for how in ("", " ANALYZE", " (FORMAT json)", " -- so\n"):
            assert reader.query(f"EXPLAIN{how} SELECT * FROM standings").num_rows > 0
        assert reader.query("FROM standings").num_rows == 2
        with pytest.raises(QueryError, match=r"longer than 0\.2 s"):
            reader.query("SELECT count(*) FROM range(10_000_000_000) a, range(100) b", timeout_s=0.2)
        assert reader.query("SELECT 1").num_rows == 1


def test_files_that_are_no_results_are_refused_in_words(result: Path, tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "other.duckdb")) as other:
        other.execute("CREATE TABLE runs (x INT); CREATE TABLE group_sums (x INT)")
    (tmp_path / "lock.duckdb").write_text("this is text")
    for name, words in (("other", "not a result"), ("lock", "is not a DuckDB file"), ("missing", "no such file")):
        with pytest.raises(NotAResultError, match=words):
            Reader(tmp_path / f"{name}.duckdb")
    with pytest.raises(NotAResultError, match="is a folder"):
        Reader(tmp_path)
    with duckdb.connect(str(result)) as connection:
        connection.execute("UPDATE runs SET schema_version = schema_version + 1")
    words = f"has schema version {records.SCHEMA_VERSION + 1}, this razzsim reads up to {records.SCHEMA_VERSION}"
    for open_it in (lambda: Reader(result), lambda: Writer.open(result, "r")):
        with pytest.raises(NotAResultError, match=words):
            open_it()


HOLDS = """
import sys, time
from pathlib import Path
from razzsim.store import Writer
writer = Writer.open(Path(sys.argv[1]), "r")
print("held", flush=True)
sys.stdin.readline()
writer.snapshot()
print("snapshot", flush=True)
sys.stdin.readline()
writer.close()
"""


def test_a_file_being_written_is_read_through_its_snapshot(result: Path) -> None:
    stale = result.with_name(f"{result.stem}.snapshot.writing.wal")
    stale.write_bytes(b"left by a writer that was killed")
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", HOLDS, str(result)], stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        assert process.stdout.readline() == "held\n"
        for open_it in (lambda: Reader(result), lambda: Writer.open(result, "r")):
            with pytest.raises(HeldError, match=f"process {process.pid}"):
                open_it()
        print(file=process.stdin, flush=True)
        assert process.stdout.readline() == "snapshot\n"
        with Reader(result) as reader:
            assert reader.is_snapshot
            assert reader.query("SELECT count(*) AS n FROM standings").to_pylist() == [{"n": 2}]
        print(file=process.stdin, flush=True)
    assert process.returncode == 0
    assert [path.name for path in result.parent.iterdir()] == [result.name]
    with Reader(result) as reader:
        assert not reader.is_snapshot


def test_every_table_and_column_says_what_it_is(result: Path) -> None:
    tables = "SELECT table_name FROM duckdb_tables() WHERE comment IS NULL OR trim(comment) = ''"
    columns = (
        "SELECT c.table_name, c.column_name FROM duckdb_columns() c JOIN duckdb_tables() USING (table_name) "
        "WHERE c.comment IS NULL OR trim(c.comment) = ''"
    )
    assert ask(result, tables) == []
    assert ask(result, columns) == []
    assert ask(result, "SELECT count(*) FROM duckdb_tables()") == [(len(records.TABLES),)]


def test_the_command_line_of_duckdb_opens_the_file(result: Path) -> None:
    program = Path(sys.executable).with_name("duckdb")
    sql = "SELECT entrant, net_chips FROM standings ORDER BY rank"
    answer = subprocess.run(
        [str(program), "-readonly", "-csv", str(result), sql], capture_output=True, text=True, check=False
    )
    assert (answer.returncode, answer.stdout.split()) == (0, ["entrant,net_chips", "a,8", "b,-8"]), answer.stderr
