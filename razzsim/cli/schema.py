"""razzsim schema."""

from enum import StrEnum
from typing import Annotated, Any

import typer

_HEAD = """\
# Tables and views of a result file

Schema version {version}. This page is what `razzsim schema --format markdown` prints. Bold columns are a table's key.
"""
_TABLE_HEAD = ["| column | type | meaning |", "|---|---|---|"]


class Format(StrEnum):
    """How the schema is printed."""

    table = "table"
    markdown = "markdown"
    json = "json"


def schema(format: Annotated[Format, typer.Option(help="How to print it.")] = Format.table) -> None:
    """Say what a result file holds: every table and view, each column with its type, unit and meaning.

    Example: razzsim schema --format markdown
    """
    from razzsim.cli.output import as_json, print_table
    from razzsim.records import SCHEMA_VERSION
    from razzsim.schema import described
    from razzsim.store.catalog import described_views

    tables, views = described(), described_views()
    if format is Format.json:
        print(as_json({"schema_version": SCHEMA_VERSION, "tables": tables, "views": views}))
    elif format is Format.markdown:
        head = _HEAD.format(version=SCHEMA_VERSION)
        print("\n".join([head, *map(_table_section, tables), *map(_view_section, views)]))
    else:
        print_table(("table", "column", "type", "key", "meaning"), [*_lines(tables, views)], [False] * 5)


def _lines(tables: list[dict[str, Any]], views: list[dict[str, Any]]) -> list[list[str]]:
    """One line a column; what a table or view is stands on a line before its columns."""
    lines = []
    for item in [*tables, *views]:
        name = item.get("table") or item["view"]
        kind = "view" if "view" in item else item["stored"]
        lines.append([name, "", "", "", f"({kind}) {item['meaning']}"])
        lines += [[name, c["column"], c["type"], "key" if c.get("key") else "", c["meaning"]] for c in item["columns"]]
    return lines


def _table_section(table: dict[str, Any]) -> str:
    where = "" if table["stored"] == "database" else f" Stored in {table['stored']} beside the database."
    rows = [
        f"| {'**' + c['column'] + '**' if c['key'] else c['column']} | {c['type']} | {_cell(c['meaning'])} |"
        for c in table["columns"]
    ]
    meaning = f"{_sentence(table['meaning'])}{where}"
    return "\n".join([f"## {table['table']}", "", meaning, "", *_TABLE_HEAD, *rows, ""])


def _view_section(view: dict[str, Any]) -> str:
    rows = [f"| {c['column']} | {c['type']} | {_cell(c['meaning'])} |" for c in view["columns"]]
    return "\n".join([f"## {view['view']} (view)", "", _sentence(view["meaning"]), "", *_TABLE_HEAD, *rows, ""])


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
