"""`razzsim schema`: all that is stored is said, and docs/schema.md is what it prints."""

import json
from pathlib import Path

from razzsim import records
from razzsim.store import Reader
from tests.cli.conftest import call

PAGE = Path(__file__).parents[2] / "docs" / "schema.md"
ROWS = {table.name for table in records.ROW_TABLES}


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
    sql = "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal ORDER BY column_index"
    held: dict[str, list[tuple[str, str]]] = {}
    with Reader(folder / "tiny.duckdb") as reader:
        for table, column, kind in (row.values() for row in reader.query(sql).to_pylist()):
            held.setdefault(table, []).append((column, kind))
    assert {name: [(c["column"], c["type"]) for c in columns] for name, columns in told.items()} == held


def test_the_table_has_a_line_a_column():
    lines = call("schema").out.splitlines()
    assert lines[0].split() == ["table", "column", "type", "key", "meaning"]
    (line,) = [line for line in lines if line.startswith("behaviour ") and " n_bet " in line]
    assert "bets and completions" in line
    assert any(line.startswith("standings ") and line.split()[1:] == ["bb100", "DOUBLE"] for line in lines)
