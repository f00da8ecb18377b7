"""`razzsim query`: answers in every format, whole files or none, the place of a mistake, and nothing else in reach."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.cli.conftest import call, process

LONG = "SELECT range AS n, 'row ' || range AS words FROM range(1003)"


@pytest.fixture(scope="session")
def ask(folder, first):
    """`razzsim query tiny.duckdb ...`."""
    assert first.code == 0
    return lambda *words, **more: call("query", "tiny.duckdb", *words, cwd=folder, **more)


@pytest.fixture
def out(folder):
    """A name for a file, of which nothing is there before and after."""
    path = folder / "answer.out"
    yield path
    path.unlink(missing_ok=True)


def written(ask, out, form, sql):
    answer = ask(sql, "--format", form, "--out", out.name)
    assert (answer.code, answer.out) == (0, "")
    return answer.err


def test_answers_go_to_new_files(ask, out):
    sql = "SELECT entrant, hands, net_chips, NULL::INT AS nothing FROM standings ORDER BY entrant"
    rows = json.loads(ask(sql, "--format", "json").out)
    assert written(ask, out, "json", sql) == "answer.out: 2 rows\n"
    assert json.loads(out.read_text()) == rows
    before = out.read_bytes()
    for form in ("csv", "json", "parquet"):
        again = ask(sql, "--format", form, "--out", out.name)
        assert again.code == 2
        assert again.error == "razzsim query: Invalid value for --out: answer.out exists already"
    assert out.read_bytes() == before
    out.unlink()
    written(ask, out, "csv", sql)
    assert out.read_text() == ask(sql, "--format", "csv").out
    assert [row["entrant"] for row in csv.DictReader(out.open())] == ["station", "tight"]
    out.unlink()
    written(ask, out, "parquet", sql)
    assert pq.read_table(out).to_pylist() == rows


def test_whole_numbers_stay_whole_in_parquet(ask, out):
    written(ask, out, "parquet", "SELECT 12345678901234567890123::HUGEINT AS big")
    assert int(pq.read_table(out).to_pylist()[0]["big"]) == 12345678901234567890123


def test_files_that_cannot_be_written(ask, out, folder):
    for words, said in (
        (("--format", "parquet"), "parquet is written to a file: say --out FILE"),
        (("--out", out.name), "a file wants --format csv, json or parquet"),
    ):
        answer = ask("SELECT 1 AS a", *words)
        assert (answer.code, said in answer.error) == (2, True)
    answer = ask("SELECT 1 AS a", "--format", "csv", "--out", "no_folder/x.csv")
    assert answer.code == 4
    assert answer.error == "no_folder/x.csv.writing: no such file or directory"
    for form in ("json", "parquet"):
        answer = ask("SELECT 1 AS a, 2 AS a", "--format", form, "--out", out.name)
        assert (answer.code, f"name them apart with AS for {form}" in answer.error) == (2, True)
    assert ask("SELECT DATE '99999-01-01' AS d", "--format", "csv", "--out", out.name).code == 2
    assert not [path.name for path in folder.iterdir() if "answer" in path.name]


def test_a_table_ends_after_a_thousand_rows_and_says_so(ask):
    answer = ask(LONG)
    assert (answer.code, answer.err) == (0, "3 more rows left out; --format csv prints all\n")
    assert len(answer.out.splitlines()) == 1001
    whole = ask(LONG, "--format", "csv")
    assert (len(whole.out.splitlines()), whole.err) == (1004, "")
    assert len(json.loads(ask(LONG, "--format", "json").out)) == 1003
    assert ask(LONG.replace("1003", "1000")).err == ""


def test_standard_input_and_parameters(ask):
    sql = "SELECT $name AS name,\n $n + 1 AS n -- and a remark\n"
    answer = ask("-", "--param", "name=a b", "--param", "n=2", "--format", "csv", stdin=sql)
    assert (answer.code, answer.out) == (0, "name,n\na b,3\n")


LONG_LINE = f"SELECT {', '.join(f'{n} AS column_{n}' for n in range(40))}, nothing_such, 'text' FROM runs"
MISTAKES = [
    ("SELEC 1", '1:1: Parser Error: syntax error at or near "SELEC"', "SELEC 1", "^^^^^"),
    ("SELECT name,\n  nothing_such\nFROM runs", "2:3: Binder Error: ", "  nothing_such", "  ^^^^^^^^^^^^"),
    ("SELECT *\nFROM no_table", "2:6: Catalog Error: ", "FROM no_table", "     ^^^^^^^^"),
    ("SELECT 'x'::INT AS n", "1:11: Conversion Error: ", "SELECT 'x'::INT AS n", "          ^^^^^"),
    (LONG_LINE, f"1:{LONG_LINE.index('nothing_such') + 1}: Binder Error: ", "nothing_such", "^^^^^^^^^^^^"),
]


@pytest.mark.parametrize(("sql", "said", "line", "carets"), MISTAKES)
def test_a_mistake_is_told_with_its_place(sql, said, line, carets, ask):
    answer = ask(sql)
    assert (answer.code, answer.out) == (2, "")
    first, excerpt, marks = answer.err.splitlines()
    assert first.startswith(said)
    assert line in excerpt
    assert marks.strip() == carets.strip()
    start = marks.index("^")
    assert excerpt[start:].startswith(line[carets.index("^") :][: len(carets.strip())])


OTHER_FILES = [
    "SELECT * FROM read_text('secret.txt')",
    "SELECT * FROM read_blob('secret.txt')",
    "SELECT * FROM read_csv('secret.txt')",
    "SELECT * FROM read_json('secret.txt')",
    "SELECT * FROM read_parquet('secret.txt')",
    "SELECT * FROM 'secret.txt'",
    "SELECT * FROM glob('*.txt')",
    "COPY runs TO 'stolen.csv'",
    "EXPORT DATABASE 'stolen'",
    "ATTACH 'other.duckdb'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET enable_external_access = true",
    "PRAGMA database_list",
    "SELECT getenv('HOME')",
    "SELECT * FROM query('ATTACH ''other.duckdb''')",
    "SELECT * FROM duckdb_secrets()",
    "SELECT * FROM sqlite_scan('secret.txt', 't')",
]


@pytest.mark.parametrize("sql", OTHER_FILES)
def test_nothing_else_can_be_reached(sql, ask, folder):
    (folder / "secret.txt").write_text("a\nsecret words\n")
    before = {path.name for path in folder.iterdir()}
    answer = ask(sql)
    assert (answer.code, answer.out) == (2, ""), answer
    assert "secret words" not in answer.err
    assert {path.name for path in folder.iterdir()} == before


HOLDS = """
import sys
from pathlib import Path
from razzsim.store import Writer
writer = Writer.open(Path(sys.argv[1]), sys.argv[2])
writer.snapshot()
print("ready", flush=True)
sys.stdin.readline()
writer.close()
"""


@pytest.fixture
def running(folder, first):
    """The result is being written, with a snapshot beside it; the number of the process that does."""
    words = [sys.executable, "-c", HOLDS, str(folder / "tiny.duckdb"), json.loads(first.out)["run_id"]]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        yield process.pid
        print(file=process.stdin, flush=True)


def test_a_run_that_is_being_written_answers(ask, running):
    answer = ask("SELECT count(*) AS n FROM standings", "--format", "csv")
    assert (answer.code, answer.out, answer.err) == (0, "n\n2\n", "")


def test_the_environment_cannot_be_read(folder, first, monkeypatch):
    monkeypatch.setenv("SECRET", "secret words")
    for sql in ("SELECT getvariable('SECRET')", "SELECT * FROM duckdb_settings() WHERE value LIKE '%secret words%'"):
        answer = process("query", "tiny.duckdb", sql, "--format", "csv", cwd=folder)
        assert "secret words" not in answer.out.replace(sql, "") + answer.err


def test_a_reader_that_has_enough_is_no_error(folder, first):
    program = Path(sys.executable).with_name("razzsim")
    sql = "SELECT * FROM range(1000000)"
    command = [str(program), "query", "tiny.duckdb", sql, "--format", "csv"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as query:
        assert query.stdout.readline() == "range\n"
        query.stdout.close()
        assert (query.stderr.read(), query.wait(60)) == ("", 0)


def test_a_type_that_parquet_has_not_is_said(ask, out):
    answer = ask("SELECT INTERVAL 1 MONTH AS i", "--format", "parquet", "--out", out.name)
    assert (answer.code, "cast it to VARCHAR" in answer.error) == (2, True)
    assert not out.exists()
