"""The answers in docs/sql.md: `python -m tests.store.sql_page` writes them anew, the tests compare them."""

import re
import tempfile
from pathlib import Path
from typing import Any

from razzsim.runner import session
from razzsim.store import Reader

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "sql.md"
CONFIG = ROOT / "configs" / "recorded.yaml"
QUESTION = re.compile(r"```sql\n(?P<sql>.*?)\n```\n\n```\n.*?```\n", re.DOTALL)


def play(folder: Path) -> Path:
    """The run that the page is about."""
    return session.run(CONFIG, folder / "recorded.duckdb", session.Options(local=True)).path


def questions(page: str) -> list[str]:
    """The SQL of all blocks."""
    return re.findall(r"```sql\n(.*?)\n```", page, re.DOTALL)


def answered(page: str, reader: Reader) -> str:
    """The page with the answers that this result gives."""

    def answer(found: re.Match[str]) -> str:
        rows = reader.query(found["sql"])
        return f"```sql\n{found['sql']}\n```\n\n```\n{table_text(rows.column_names, rows.to_pylist())}\n```\n"

    return QUESTION.sub(answer, page)


def table_text(names: list[str], rows: list[dict[str, Any]]) -> str:
    """Rows in columns, numbers to the right."""
    columns = []
    for name in names:
        values = [row[name] for row in rows]
        texts = [name, *("" if value is None else str(value) for value in values)]
        is_text = all(isinstance(value, str) for value in values)
        width = max(map(len, texts))
        columns.append([text.ljust(width) if is_text else text.rjust(width) for text in texts])
    return "\n".join("  ".join(line).rstrip() for line in zip(*columns, strict=True))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, Reader(play(Path(folder))) as reader:
        PAGE.write_text(answered(PAGE.read_text("utf-8"), reader), "utf-8")
