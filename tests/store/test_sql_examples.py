"""docs/sql.md: its questions work, its answers are those of the shipped run, and it leaves no view out."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from razzsim.store import Reader, database
from tests.store import sql_page

VIEWS = "FROM duckdb_views() WHERE NOT internal AND NOT temporary"


@pytest.fixture(scope="session")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    with Reader(sql_page.play(tmp_path_factory.mktemp("recorded"))) as reader:
        yield reader


PAGE = sql_page.PAGE.read_text("utf-8")


@pytest.mark.parametrize("sql", sql_page.questions(PAGE))
def test_a_question_has_an_answer(sql: str, reader: Reader) -> None:
    assert 0 < reader.query(sql).num_rows <= 12


def test_the_answers_are_those_of_the_shipped_run(reader: Reader) -> None:
    assert sql_page.answered(PAGE, reader) == PAGE, "python -m tests.store.sql_page writes them anew"
    assert len(sql_page.QUESTION.findall(PAGE)) == len(sql_page.questions(PAGE))


def test_every_view_is_on_the_page_and_says_what_it_is(reader: Reader) -> None:
    asked = "\n".join(sql_page.questions(PAGE))
    views = reader.query(f"SELECT view_name, comment {VIEWS}").to_pylist()
    assert len(views) > 15
    assert [row["view_name"] for row in views if f"FROM {row['view_name']}" not in asked] == []
    assert [row["view_name"] for row in views if f"`{row['view_name']}`" not in PAGE] == []
    assert [row["view_name"] for row in views if not row["comment"]] == []


def test_a_snapshot_answers_as_the_file_does(reader: Reader, tmp_path: Path) -> None:
    """Its views call macros, which must come along."""
    path = shutil.copy(reader.path, tmp_path / "copy.duckdb")
    with closing(database.connect(path, read_only=False)) as connection:
        database.write_snapshot(connection, path)
    sql = "SELECT sum(board), sum(rival_board), count(DISTINCT cards) FROM hand_seats"
    with Reader(database.snapshot_path(path)) as snapshot:
        assert snapshot.query(sql) == reader.query(sql)
