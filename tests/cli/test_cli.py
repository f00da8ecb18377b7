"""Proves the program as a user meets it: what it prints, where, and its exit codes; a mistake is one line, no trace."""

import csv
import io
import json
import shlex
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from tests.cli.conftest import CONFIG, call, process

COMMANDS = ("run", "resume", "status", "validate", "query", "runs", "label", "export", "schema", "merge", "verify")


@pytest.fixture(scope="session")
def tiny(folder, first):
    """The result file."""
    assert first.code == 0
    return folder / "tiny.duckdb"


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command):
    answer = call(command, "--help")
    assert (answer.code, answer.err) == (0, "")
    assert f"Example: razzsim {command} " in answer.out


def test_bare_call_and_help_are_the_same():
    bare, asked = process(), process("--help")
    assert bare == asked
    assert bare.code == 0
    assert all(f"  {command} " in bare.out for command in COMMANDS)
    assert "Exit codes" in bare.out


def test_unknown_words():
    assert call("rnu", "x.yaml").code == 2
    assert call("rnu").error.startswith("razzsim: No such command 'rnu' (did you mean 'run'")
    wrong = call("run", "x.yaml", "--worker", "2")
    assert wrong.code == 2
    assert wrong.error == "razzsim run: No such option: --worker (did you mean --workers?)"
    assert (wrong := call("validate")).code == 2
    assert wrong.error == "razzsim validate: Missing argument 'config'."
    assert call("run", "x.yaml", "--workers", "0").code == 2


def test_validate(folder):
    answer = call("validate", "tiny.yaml", cwd=folder)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith("tiny.yaml: fine: run ")
    assert answer.out.endswith("1 line-up of tight, station; 400 hands on 200 deals, 100 chunks\n")


def test_validate_says_what_is_wrong(folder):
    (folder / "wrong.yaml").write_text(CONFIG.replace("ante: 1", "antee: 1"))
    answer = call("validate", "wrong.yaml", cwd=folder)
    assert answer.code == 2
    assert process("validate", "wrong.yaml", cwd=folder) == answer
    assert answer.error == (
        "wrong.yaml:4:3: table.antee: is not a key here (did you mean ante?); keys are seats, ante, bring_in, "
        "small_bet, big_bet, stacks (and 1 more mistake)"
    )
    missing = call("validate", "no.yaml", cwd=folder)
    assert missing.code == 2
    assert missing.error == "no.yaml: cannot be read: no such file or directory"


def test_debug_shows_the_trace(folder):
    answer = call("validate", "no.yaml", "--debug", cwd=folder)
    assert answer.code == 2
    assert "Traceback" in answer.err


def test_run_gives_one_json_document(first):
    assert first.code == 0
    document = json.loads(first.out)
    keys = "run_id name out status stop_reason hands groups seconds hands_per_s workers standings"
    assert list(document) == keys.split()
    assert (document["name"], document["status"], document["out"]) == ("tiny", "complete", "tiny.duckdb")
    assert (document["hands"], document["groups"]) == (400, 200)
    view = "run_id structure rank entrant hands groups bb100 se_bb100 lo_bb100 hi_bb100 sb_hand net_chips"
    assert [list(row) for row in document["standings"]] == [view.split()] * 2
    assert [row["rank"] for row in document["standings"]] == [1, 2]
    assert sum(row["net_chips"] for row in document["standings"]) == 0


def test_run_again_is_already_complete(folder, tiny, first):
    before = tiny.read_bytes()
    again = call("run", "tiny.yaml", "--out", "tiny.duckdb", "--local", cwd=folder)
    assert again.code == 0
    assert again.err == f"tiny.duckdb: run {json.loads(first.out)['run_id']} is already complete\n"
    assert "tight" in again.out
    assert tiny.read_bytes() == before


def test_run_on_another_run_names_what_differs(folder, tiny):
    before = tiny.read_bytes()
    (folder / "other.yaml").write_text(
        CONFIG.replace("seed: 7", "seed: 8").replace("strategy: tight", "strategy: thief")
    )
    answer = call("run", "other.yaml", "--out", "tiny.duckdb", "--local", cwd=folder)
    assert answer.code == 2
    assert answer.error.startswith("tiny.duckdb: holds another run, ")
    assert "what differs: seed, entrant thief, entrant tight;" in answer.error
    assert tiny.read_bytes() == before


def test_a_run_is_labelled_from_the_start_and_hints_can_be_pasted(folder, first):
    words = ("run", "tiny.yaml", "--local", "--out", "my tiny.duckdb")
    answer = call(*words, "--label", "a\nb", cwd=folder)
    assert (answer.code, "on one line" in answer.error, (folder / "my tiny.duckdb").exists()) == (2, True, False)
    answer = call(*words, "--label", "first try", cwd=folder)  # after `first`: a run that compiles says how far it is
    assert (answer.code, answer.err) == (0, "")
    hint = shlex.split(answer.out.splitlines()[-1])
    assert hint == ["ask:", "razzsim", "query", "my tiny.duckdb", "SELECT * FROM head_to_head"]
    label = ("query", "my tiny.duckdb", "SELECT label FROM runs", "--format", "csv")
    assert call(*label, cwd=folder).out == "label\nfirst try\n"
    with duckdb.connect(str(folder / "my tiny.duckdb")) as connection:
        connection.execute("UPDATE runs SET status = 'stopped', stop_reason = 'interrupted'")
    hint = "go on with: razzsim resume 'my tiny.duckdb'"
    assert call("status", "my tiny.duckdb", cwd=folder).out.splitlines()[-1] == hint
    assert call(*words, cwd=folder).error.endswith(hint)
    found = call("hand", "find", "my tiny.duckdb", "true", "--local", "--limit", "1", cwd=folder)
    assert "razzsim hand show 'my tiny.duckdb' --line-up 0" in found.out


def test_outputs_that_cannot_be(folder):
    (folder / "notes.txt").write_text("my notes\n")
    (folder / "sub").mkdir(exist_ok=True)
    connection = duckdb.connect(str(folder / "mine.duckdb"))
    connection.execute("CREATE TABLE t AS SELECT 1 AS a")
    connection.close()
    before = {name: (folder / name).read_bytes() for name in ("notes.txt", "mine.duckdb")}
    for out, code, words in (
        ("notes.txt", 2, "is not a DuckDB file; nothing was written: choose another --out"),
        ("mine.duckdb", 2, "is a DuckDB file, but not a result of razzsim; nothing was written: choose another --out"),
        ("sub", 2, "is a folder, not a result file"),
        ("notes.txt/x.duckdb", 2, "notes.txt is no folder: make it first, or choose another --out"),
        ("mistyped/x.duckdb", 2, "mistyped is no folder: make it first, or choose another --out"),
        ("x.snapshot.duckdb", 2, "*.snapshot.duckdb is the name of running experiments' copies"),
    ):
        answer = call("run", "tiny.yaml", "--out", out, "--local", cwd=folder)
        assert (answer.code, words in answer.error) == (code, True), answer
    assert {name: (folder / name).read_bytes() for name in before} == before


@pytest.mark.parametrize("command", [("query", "SELECT 1"), ("status",), ("resume",)])
def test_files_that_are_no_results(folder, command):
    (folder / "text.duckdb").write_text("not a database\n")
    (folder / "sub").mkdir(exist_ok=True)
    connection = duckdb.connect(str(folder / "theirs.duckdb"))
    connection.execute("CREATE TABLE IF NOT EXISTS t (a INTEGER)")
    connection.close()
    for name, words in (
        ("no.duckdb", "there is no such file"),
        ("text.duckdb", "is not a DuckDB file"),
        ("theirs.duckdb", "is a DuckDB file, but not a result of razzsim"),
        ("sub", "is a folder without results" if command[0] == "query" else "is a folder, not a result file"),
    ):
        answer = call(command[0], name, *command[1:], cwd=folder)
        assert answer.code == 2
        assert answer.error == f"{name}: {words}"


def test_resume_of_a_complete_run(folder, tiny, first):
    answer = call("resume", "tiny.duckdb", "--local", cwd=folder)
    assert answer.code == 0
    assert answer.err == f"tiny.duckdb: run {json.loads(first.out)['run_id']} is already complete\n"


def test_status(folder, tiny):
    answer = call("status", "tiny.duckdb", cwd=folder)
    assert (answer.code, answer.err) == (0, "")
    assert "tiny: complete" in answer.out
    assert "400 of 400 hands (100%), 100 chunks, 0 failures" in answer.out
    assert "resume" not in answer.out
    document = json.loads(call("status", "tiny.duckdb", "--json", cwd=folder).out)
    assert document["runs"][0]["hands"] == document["runs"][0]["hands_total"] == 400


SQL = "SELECT entrant, hands, net_chips > 0 AS won, NULL AS nothing, 2::HUGEINT ** 70 AS huge FROM standings ORDER BY 1"


def test_query_formats(folder, tiny):
    table = call("query", "tiny.duckdb", SQL, cwd=folder)
    assert (table.code, table.err) == (0, "")
    assert table.out.splitlines()[0].split() == ["entrant", "hands", "won", "nothing", "huge"]
    assert table.out.splitlines()[1].split()[0] == "station"
    rows = json.loads(call("query", "tiny.duckdb", SQL, "--format", "json", cwd=folder).out)
    assert [row["entrant"] for row in rows] == ["station", "tight"]
    assert {row["nothing"] for row in rows} == {None}
    text = process("query", "tiny.duckdb", "-", "--format", "csv", cwd=folder, stdin=SQL).out
    assert [row["entrant"] for row in csv.DictReader(io.StringIO(text))] == ["station", "tight"]


def test_whole_numbers_beyond_64_bits_stay_whole(folder, tiny):
    sql = "SELECT 170141183460469231731687303715884105727::HUGEINT AS big"
    big = "170141183460469231731687303715884105727"
    for form in ("table", "csv", "json"):
        assert big in call("query", "tiny.duckdb", sql, "--format", form, cwd=folder).out


def test_query_parameters(folder, tiny):
    sql = "SELECT entrant FROM standings WHERE entrant = $name AND hands > $least"
    good = ("--param", "name=tight", "--param", "least=10", "--format", "csv")
    assert call("query", "tiny.duckdb", sql, *good, cwd=folder).out == "entrant\ntight\n"
    wrong = call("query", "tiny.duckdb", sql, "--param", "name", cwd=folder)
    assert wrong.code == 2
    assert "'name' is not allowed: name=value" in wrong.error
    missing = call("query", "tiny.duckdb", sql, "--param", "name=tight", cwd=folder)
    assert missing.code == 2
    assert "least" in missing.err
    assert "Traceback" not in missing.err


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("DROP TABLE runs", "DROP is not allowed: a result is only read, with SELECT or EXPLAIN"),
        ("SELECT 1; SELECT 2", "2 statements; one SELECT or EXPLAIN at a time"),
        ("", "0 statements; one SELECT or EXPLAIN at a time"),
    ],
)
def test_query_only_reads(sql, words, folder, tiny):
    answer = call("query", "tiny.duckdb", sql, cwd=folder)
    assert answer.code == 2
    assert answer.error == words


@pytest.mark.parametrize("sql", ["SELEC 1", "SELECT nothing_such FROM runs", "SELECT * FROM read_csv('tiny.yaml')"])
def test_query_says_what_duckdb_says(sql, folder, tiny):
    answer = call("query", "tiny.duckdb", sql, cwd=folder)
    assert (answer.code, answer.out) == (2, "")
    assert "Error" in answer.err.splitlines()[0]
    assert "Traceback" not in answer.err


def test_a_query_that_takes_too_long(folder, tiny):
    sql = "SELECT count(*) FROM range(100000) a, range(100000) b, range(1000) c WHERE a.range + b.range = c.range"
    answer = call("query", "tiny.duckdb", sql, "--timeout-s", "0.2", cwd=folder)
    assert answer.code == 2
    assert answer.error == "took longer than 0.2 s and was stopped"


def test_query_options_that_are_wrong(folder, tiny):
    answer = call("query", "tiny.duckdb", "SELECT 1", "--format", "xml", cwd=folder)
    assert answer.code == 2
    assert "xml" in answer.error
    assert call("query", "tiny.duckdb", "SELECT 1", "--timeout-s", "0", cwd=folder).code == 2


def test_columns_of_one_name_keep_their_own_values(folder, tiny):
    assert call("query", "tiny.duckdb", "SELECT 1 AS a, 2 AS a", "--format", "csv", cwd=folder).out == "a,a\n1,2\n"
    asked = call("query", "tiny.duckdb", "SELECT 1 AS a, 2 AS a", "--format", "json", cwd=folder)
    assert (asked.code, "name them apart" in asked.error) == (2, True)


def test_values_json_or_python_cannot_hold(folder, tiny):
    sql = "SELECT 'nan'::DOUBLE AS x, ['inf'::DOUBLE, 1] AS y"
    assert json.loads(call("query", "tiny.duckdb", sql, "--format", "json", cwd=folder).out) == [
        {"x": None, "y": [None, 1.0]}
    ]
    far = call("query", "tiny.duckdb", "SELECT DATE '99999-01-01' AS d", cwd=folder)
    assert (far.code, "cast it to VARCHAR" in far.error) == (2, True)


def test_parameters_in_quotes_are_text(folder, tiny):
    asked = ("query", "tiny.duckdb", "SELECT typeof($k) AS t", "--format", "csv")
    assert call(*asked, "--param", "k='007'", cwd=folder).out == "t\nVARCHAR\n"
    assert call(*asked, "--param", "k=7", cwd=folder).out != "t\nVARCHAR\n"


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("status tiny.duckdb >&-", 0),
        ("status nothing.duckdb 2>&-", 2),
        ("query tiny.duckdb - <&-", 2),
        ("query tiny.duckdb 'SELECT 1' >&- 2>&- <&-", 0),
        ("run tiny.yaml --local --out closed.duckdb >&- 2>&-", 0),
    ],
)
def test_standard_streams_may_be_closed(command, code, folder, tiny):
    """As daemons start programs."""
    program = shlex.quote(str(Path(sys.executable).with_name("razzsim")))
    done = subprocess.run(["bash", "-c", f"{program} {command}"], cwd=folder, check=False, capture_output=True)
    assert done.returncode == code
    assert b"Traceback" not in done.stderr
    assert b"fault of razzsim" not in done.stderr


def test_a_file_that_could_not_be_begun_is_not_in_the_way(folder, tiny):
    program = shlex.quote(str(Path(sys.executable).with_name("razzsim")))
    words = f"ulimit -f 100; {program} run tiny.yaml --local --out full.duckdb"
    done = subprocess.run(["bash", "-c", words], cwd=folder, check=False, capture_output=True, text=True)
    assert (done.returncode, "cannot be written" in done.stderr) == (4, True), done.stderr
    assert list(folder.glob("full*")) == []
