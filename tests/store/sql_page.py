"""The answers in docs/sql.md: `python -m tests.store.sql_page` writes them anew, the tests compare them."""

import io
import re
import tempfile
from pathlib import Path

from razzsim.cli.answer import Format, show
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
        out = io.StringIO()
        show(reader.query(found["sql"]), Format.table, out)
        return f"```sql\n{found['sql']}\n```\n\n```\n{out.getvalue()}```\n"

    return QUESTION.sub(answer, page)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, Reader(play(Path(folder))) as reader:
        PAGE.write_text(answered(PAGE.read_text("utf-8"), reader), "utf-8")
