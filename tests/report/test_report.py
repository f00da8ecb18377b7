"""`razzsim report`: its numbers are those of the views, its texts do no harm, and it says what is not there."""

import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from functools import cache
from pathlib import Path

import duckdb

from razzsim.plan import plan_from_file
from razzsim.report.words import share, signed, standings_cells
from razzsim.runner.rows import rows_of
from razzsim.store import Reader, Writer
from razzsim.store.database import connect
from tests.cli.conftest import call, process
from tests.report.pages import Page
from tests.runner.helpers import experiment, failing, play, play_interrupted

EVIL = "<script>alert(1)</script> | `x` *y* [z](http://example.org) & \"q\" 'r' ${}"


@cache
def made(result, *options, name="page.html"):
    """The text of a report; asked for once more, the same file is not read again."""
    answer = call("report", result.name, "--out", name, "--force", *options, cwd=result.parent)
    assert (answer.code, answer.err) == (0, ""), answer
    assert answer.out == f"{name}\n"
    return (result.parent / name).read_text("utf-8")


def asked(result, sql):
    with Reader(result) as reader:
        return reader.query(sql).to_pylist()


def copied(result, folder, *changes):
    """A copy of a result with something else in it."""
    copy = folder / result.name
    shutil.copy(result, copy)
    with duckdb.connect(str(copy)) as connection:
        for sql, values in changes:
            connection.execute(sql, values)
    return copy


def test_its_numbers_are_those_of_the_views(table):
    page = Page(made(table))
    ranking = asked(table, "SELECT * FROM standings ORDER BY rank")
    assert page.rows("Win rates in") == [list(standings_cells(row)) for row in ranking]
    names = [row["entrant"] for row in ranking]
    pairs = {(r["entrant"], r["rival"]): r for r in asked(table, "SELECT * FROM head_to_head")}
    for entrant, *cells in page.rows("Ahead by"):
        for rival, cell in zip(names, cells, strict=True):
            row = pairs.get((entrant, rival))
            half = row and row["hi_bb100"] - row["diff_bb100"]
            assert cell == (f"{signed(row['diff_bb100'])} ±{half:.2f}" if row else "")

    shares = ["fold", "check", "call", "bet", "raise", "aggression", "showdown", "won", "showdown_won"]
    expected = {
        (row["entrant"], row["street"]): [f"{row['n_seen']:,}", *(share(row[name]) for name in shares)]
        for row in asked(table, "SELECT * FROM by_street")
    }
    rows = page.rows("By street")
    assert len(rows) == len(expected) == 15
    for k, row in enumerate(rows):
        assert row[-10:] == expected[names[k // 5], 3 + k % 5]

    positions = {(r["entrant"], r["position"]): r for r in asked(table, "SELECT * FROM by_position")}
    for entrant, *cells in page.rows("By position"):
        rows = [positions[entrant, k] for k in range(3)]
        assert cells == [f"{signed(r['bb100'])} {share(r['played'])} played" for r in rows]
    steals = {row["entrant"]: row for row in asked(table, "SELECT * FROM steals")}
    for entrant, chances, stole, at_once, faced, defended in page.rows("Steals"):
        row = steals[entrant]
        assert (chances, faced) == (f"{row['n_chances']:,}", f"{row['n_faced']:,}")
        assert [stole, at_once, defended] == [share(row[name]) for name in ("steal", "success", "defence")]
    bring_ins = {row["entrant"]: row for row in asked(table, "SELECT * FROM bring_ins")}
    for entrant, hands, _, played, rate in page.rows("Bring-ins"):
        row = bring_ins[entrant]
        assert (hands, played, rate) == (f"{row['n']:,}", share(row["played"]), signed(row["bb100"]))


def test_every_starting_hand_has_its_cell(table):
    page = Page(made(table))
    names = [row["entrant"] for row in asked(table, "SELECT entrant FROM standings ORDER BY rank")]
    found = {}
    for number, triangle in enumerate(page.named("Lowest card ")):
        low = triangle.caption[-1]
        for middle, *cells in triangle.rows:
            for high, cell in zip(triangle.columns[1:], cells, strict=True):
                if cell:
                    found[names[number // 13], low + middle + high] = cell
    expected = {
        (row["entrant"], row["label"]): f"{signed(row['bb100'], 0)} {100 * row['played']:.0f}%"
        for row in asked(table, "SELECT * FROM by_start_hand")
    }
    assert len(names) * 455 == len(found)
    assert {key: cell for key, cell in found.items() if cell != "·"} == expected


def test_it_says_the_same_as_run(table, round_robin):
    for result, name in ((table, "table"), (round_robin, "round")):
        answer = call("run", f"{name}.yaml", "--out", result.name, cwd=result.parent)
        sentence = answer.out.splitlines()[-3]
        assert "BB/100" in sentence
        assert f"{sentence}." in Page(made(result)).text


def test_a_match_of_two_seats_shows_what_is_won(round_robin):
    page = Page(made(round_robin))
    pairs = {(r["entrant"], r["rival"]): r for r in asked(round_robin, "SELECT * FROM head_to_head")}
    (payoffs,) = page.named("Wins")
    for entrant, *cells in payoffs.rows:
        for rival, cell in zip(payoffs.columns[1:], cells, strict=True):
            row = pairs.get((entrant, rival))
            half = row and (row["hi_bb100"] - row["diff_bb100"]) / 2
            assert cell == (f"{signed(row['bb100'])} ±{half:.2f}" if row else "")


def test_the_command_of_the_biggest_pot_shows_it(table):
    text = Page(made(table)).text
    (command,) = re.findall(r"^razzsim (hand show .*)$", text, re.MULTILINE)[:1]
    pot = asked(table, "SELECT pot_chips FROM biggest_pots WHERE rank = 1")[0]["pot_chips"]
    answer = call(*command.split(), cwd=table.parent)
    assert answer.code == 0, answer
    assert f"{pot}" in answer.out


def test_every_structure_of_a_grid_is_there(grid):
    page = Page(made(grid))
    structures = ["ante-0", "ante-3", "ante-9"]
    assert [row[0] for row in page.rows("Win rates, BB/100")] == structures
    assert [row[0] for row in page.rows("The limits")] == structures
    for start, n in (("Win rates in", 3), ("Ahead by", 3), ("By street", 3), ("Lowest card", 3 * 3 * 13)):
        assert len(page.named(start)) == n
    ranked = asked(grid, "SELECT * FROM standings ORDER BY structure, rank, entrant")
    assert [row for t in page.named("Win rates in") for row in t.rows] == [list(standings_cells(r)) for r in ranked]
    assert page.tags.count("svg") == 3 * (1 + 3)


def test_it_is_whole_and_asks_for_nothing(table, grid):
    for result in (table, grid):
        text = made(result)
        page = Page(text)
        assert "http://" not in text
        assert "https://" not in text
        assert str(result.parent) not in text
        assert not {"script", "link", "img", "iframe", "object"} & set(page.tags)
        assert {"title", "main", "header", "h1", "h2", "caption", "figcaption"} <= set(page.tags)
        ids = [attributes["id"] for _, attributes in page.attributes if "id" in attributes]
        assert len(ids) == len(set(ids))
        targets = {attributes["href"] for _, attributes in page.attributes if "href" in attributes}
        assert targets <= {f"#{name}" for name in ids}
        for tag, attributes in page.attributes:
            assert not any(name.startswith("on") or name == "src" for name in attributes)
            assert tag != "svg" or attributes["aria-label"]
        for found in page.tables:
            assert found.caption
            assert found.scopes.count("col") == len(found.columns)
            assert {"row"} <= set(found.scopes) <= {"col", "row", "rowgroup"}


def test_texts_of_others_are_only_text(table, tmp_path):
    plan = asked(table, "SELECT plan FROM runs")[0]["plan"]
    evil = EVIL.replace('"', '\\"')
    changes = (
        (
            "UPDATE runs SET label = ?, note = ?, plan = ?",
            [EVIL, EVIL, plan.replace('"name": "thief"', f'"name": "{evil}"')],
        ),
        ("UPDATE entrants SET name = ?, source = ? WHERE name = 'thief'", [EVIL, f"```{EVIL}"]),
    )
    copy = copied(table, tmp_path, *changes)
    text = made(copy, "--plots", "plots")
    page = Page(text)
    assert "<script" not in text
    assert not {"script", "a "} & set(page.tags)
    assert page.text.count(EVIL) > 10
    for file in (tmp_path / "plots").iterdir():
        assert "<script" not in file.read_text("utf-8")
        ElementTree.parse(file)

    prose = re.sub(r"(?s)^(`{3,})\n.*?^\1$", "", made(copy, "--format", "md", name="page.md"), flags=re.MULTILINE)
    assert "\\<script\\>alert(1)" in prose
    assert not re.search(r"(?<!\\)<(?!/?details|/?summary)", prose)
    for line in prose.splitlines():
        if line.startswith("|"):
            assert "`" not in line.replace("\\`", "")
    rows = [line for line in prose.splitlines() if line.startswith(("| 1 | ", "| 2 | "))]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows if "alert" in row} >= {9}


def test_the_same_file_gives_the_same_bytes(table):
    first = made(table, "--plots", "plots-1")
    answer = process("report", table.name, "--out", "again.html", "--plots", "plots-2", cwd=table.parent)
    assert answer.code == 0, answer
    assert (table.parent / "again.html").read_text("utf-8") == first
    plots = sorted((table.parent / "plots-1").iterdir())
    assert [file.name for file in plots] == ["convergence-table-1-" + _leader(table) + ".svg", *_others(table)]
    for file in plots:
        assert file.read_bytes() == (table.parent / "plots-2" / file.name).read_bytes()
        root = ElementTree.fromstring(file.read_text("utf-8"))
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert root.find("{*}title").text


def _leader(result):
    return asked(result, "SELECT entrant FROM standings ORDER BY rank")[0]["entrant"]


def _others(result):
    names = [row["entrant"] for row in asked(result, "SELECT entrant FROM standings ORDER BY rank")]
    return [*(f"convergence-table-{k}-{name}.svg" for k, name in enumerate(names[1:], 2)), "standings-table.svg"]


def test_markdown_says_the_same(table):
    text = made(table, "--format", "md", name="page.md")
    assert "![" not in text
    for row in asked(table, "SELECT * FROM standings"):
        assert f"| {' | '.join(standings_cells(row))} |" in text
    assert re.search(r"^\*\*\w+ (is ahead: [+]|and \w+ cannot be told apart)", text, re.MULTILINE)
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert headings[:3] == ["The question", "The answer", "Standings"]
    links = re.findall(r"!\[.*\]\(<(.*)>\)", made(table, "--format", "md", "--plots", "drawn", name="page.md"))
    assert len(links) == 4
    for link in links:
        ElementTree.parse(table.parent / link)


def test_what_exists_is_not_written_over(table, tmp_path):
    copy = copied(table, tmp_path)
    assert call("report", copy.name, "--plots", "plots", cwd=tmp_path).out == "table.html\n"
    page = copy.with_suffix(".html")
    page.write_text("mine")
    answer = call("report", copy.name, cwd=tmp_path)
    assert answer.code == 2
    assert answer.error.endswith("table.html exists already; --force replaces it")
    answer = call("report", copy.name, "--out", "new.html", "--plots", "plots", cwd=tmp_path)
    assert answer.code == 2
    assert answer.error.endswith(".svg exists already; --force replaces it")
    assert page.read_text() == "mine"
    assert not (tmp_path / "new.html").exists()
    assert call("report", copy.name, "--force", cwd=tmp_path).code == 0
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")
    assert call("report", copy.name, "--run", "nope", "--force", cwd=tmp_path).code == 2
    assert call("report", "no.duckdb", cwd=tmp_path).code == 2
    assert sorted(file.name for file in tmp_path.iterdir()) == ["plots", "table.duckdb", "table.html"]


def test_the_result_itself_is_never_replaced(table, tmp_path):
    copy = copied(table, tmp_path)
    before = copy.read_bytes()
    answer = call("report", copy.name, "--out", copy.name, "--force", cwd=tmp_path)
    assert answer.code == 2
    assert copy.read_bytes() == before


def test_a_stopped_run_says_so(tmp_path):
    keys = {"deals": 200_000, "batch_groups": 256, "chunk_groups": 256}
    run = play_interrupted(experiment(tmp_path, **keys), "x.duckdb", after_hands=1)
    assert run.status == "stopped"
    text = Page(made(run.path)).text
    assert f"This run is not complete: stopped ({run.stop_reason})" in text
    assert "of 400,000 hands are played" in text


def test_a_failed_line_up_is_told(tmp_path):
    entrants = [failing(tmp_path, "table.street == 7 and me.seat == 0", "return 9"), {"strategy": "station"}]
    run = play(experiment(tmp_path, entrants=entrants, on_error="stop_line_up"), "x.duckdb")
    page = Page(made(run.path))
    ((outcome, entrant, times, *_, message),) = page.rows("Failures: 1")
    assert times == "1"
    assert (outcome, entrant) == ("error", "failing")
    assert "returned 9" in message
    assert "1 line-ups were stopped by a failing strategy" in page.text


def test_what_failed_often_is_one_line(tmp_path):
    bad = failing(tmp_path, "table.street == 7", "return 9")
    run = play(experiment(tmp_path, entrants=[bad, {"strategy": "station"}], on_error="fold"), "x.duckdb")
    (facts,) = asked(run.path, "SELECT count(*) AS n, sum(n)::BIGINT AS decisions FROM failures")
    assert facts["n"] > 20
    ((*told, message),) = Page(made(run.path)).rows(f"Failures: {facts['n']}")
    assert told == ["folded", "failing", str(facts["n"]), f"{facts['decisions']:,}", "0", "0"]
    assert message == "decisions that failed or were not legal were played as folds"


def test_nothing_played_is_said(tmp_path):
    plan = plan_from_file(experiment(tmp_path))
    Writer.create(tmp_path / "x.duckdb", *rows_of(plan)).close()
    page = Page(made(tmp_path / "x.duckdb"))
    assert "There is none: nothing has been played yet." in page.text
    assert "not complete: unfinished, nobody plays it; 0 of 1,000 hands are played" in page.text
    assert page.named("Win rates") == []
    assert "nothing has been played yet" in made(tmp_path / "x.duckdb", "--format", "md", name="x.md")


def test_a_run_from_before_there_were_counters(tmp_path):
    path = tmp_path / "x.duckdb"
    connection = connect(path, read_only=False)
    connection.execute((Path(__file__).parents[1] / "data" / "schema_1.sql").read_text("utf-8"))
    connection.close()
    Reader(path).close()
    page = Page(made(path))
    assert "was played before razzsim counted behaviour" in page.text
    assert page.named("Win rates")
    assert page.named("By street") == page.named("Lowest card") == page.named("The biggest pots") == []


HOLDS = """
import sys
from pathlib import Path
from razzsim.store.database import connect, write_snapshot
path = Path(sys.argv[1])
connection = connect(path, read_only=False)
connection.execute("UPDATE runs SET status = 'running', stop_reason = NULL")
write_snapshot(connection, path)
print("held", flush=True)
sys.stdin.readline()
"""


def test_a_running_run_is_read_from_its_snapshot(table, tmp_path):
    copy = copied(table, tmp_path)
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", HOLDS, str(copy)], stdin=pipe, stdout=pipe, text=True) as holder:
        assert holder.stdout.readline() == "held\n"
        text = Page(made(copy)).text
        print(file=holder.stdin, flush=True)
    assert "This run is not complete: running; 6,000 of 6,000 hands are played. This is its last snapshot." in text
