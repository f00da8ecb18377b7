"""`razzsim schema`: all that is stored is said, and docs/schema.md is what it prints."""

import json
from pathlib import Path

from razzsim import records
from razzsim.store import Reader
from tests.cli.conftest import call

PAGE = Path(__file__).parents[2] / "docs" / "schema.md"
ROWS = {table.name for table in records.ROW_TABLES}
PLAIN = {"run_id", "structure", "line_up", "entrant", "rival", "deal", "rotation", "seat", "street", "label"}
"""Columns of views that need no words, beside sizes of bets."""


def test_the_page_is_what_the_command_prints():
    answer = call("schema", "--format", "markdown")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out == PAGE.read_text("utf-8"), "razzsim schema --format markdown > docs/schema.md"


def test_all_that_a_result_holds_is_said(folder, first):
    document = json.loads(call("schema", "--format", "json").out)
    assert document["schema_version"] == records.SCHEMA_VERSION
    told = {table["table"]: table["columns"] for table in document["tables"]}
    told |= {view["view"]: view["columns"] for view in document["views"]}
    assert len(told) == len(document["tables"]) + len(document["views"])
    assert {table["table"] for table in document["tables"] if table["stored"] == "Parquet parts"} == ROWS
    assert all(item["meaning"].strip() for item in [*document["tables"], *document["views"]])
    assert all(column["meaning"].strip() for table in document["tables"] for column in table["columns"])
    assert first.code == 0
    unsaid = {c["column"] for view in document["views"] for c in view["columns"] if not c["meaning"].strip()}
    assert unsaid <= {*PLAIN, "small_bet_chips", "big_bet_chips"}
    sql = "SELECT table_name, column_name, data_type, comment FROM duckdb_columns() WHERE NOT internal"
    held: dict[str, list[tuple[str, str, str]]] = {}
    with Reader(folder / "tiny.duckdb") as reader:
        for row in reader.query(f"{sql} ORDER BY column_index").to_pylist():
            table, column, kind, comment = row.values()
            said = "" if table in ROWS else comment or ""
            held.setdefault(table, []).append((column, kind, said))
    meanings = {
        name: [(c["column"], c["type"], "" if name in ROWS else c["meaning"]) for c in columns]
        for name, columns in told.items()
    }
    assert meanings == held


def test_the_table_has_a_line_a_column():
    lines = call("schema").out.splitlines()
    assert lines[0].split() == ["table", "column", "type", "key", "meaning"]
    (line,) = [line for line in lines if line.startswith("behaviour ") and " n_bet " in line]
    assert "bets and completions" in line
    (line,) = [line for line in lines if line.startswith("standings ") and line.split()[1] == "bb100"]
    assert line.split()[2] == "DOUBLE"
    assert line.endswith("big bets won per 100 hands")


def test_the_page_says_what_a_column_of_a_view_means():
    page = PAGE.read_text("utf-8")
    section = page.split("## steals (view)")[1].split("\n## ")[0]
    assert "| column | type | meaning |" in section
    assert "| defence | DOUBLE | n_defended / n_faced |" in section
