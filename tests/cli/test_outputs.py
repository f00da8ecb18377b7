"""`run --shard`, `merge`, `resume --deals`, `verify`: what they print, and their exit codes."""

import json
import re
import shutil

import duckdb
import pytest

from tests.cli.conftest import CONFIG, call, process

SHARDS = ["runs/tiny.1-of-2.duckdb", "runs/tiny.2-of-2.duckdb"]


@pytest.fixture(scope="module")
def place(folder, first, tmp_path_factory):
    """A folder with tiny.duckdb, its experiment in batches of 16, and both of its shards under runs/."""
    assert first.code == 0
    made = tmp_path_factory.mktemp("outputs")
    (made / "tiny.yaml").write_text(CONFIG + "batch_groups: 16\n")
    assert call("run", "tiny.yaml", "--out", "tiny.duckdb", "--local", cwd=made).code == 0
    for number in (1, 2):
        answer = call("run", "tiny.yaml", "--shard", f"{number}/2", "--local", cwd=made)
        assert answer.code == 0
        hands = 208 if number == 1 else 192  # 13 chunks of 32 hands, the last of 16
        assert re.match(rf"shard {number} of 2: {hands} hands in [\d.]+ s; run [0-9a-f]{{12}}\nwhen all ", answer.out)
    return made


@pytest.fixture
def copy(place, tmp_path):
    return shutil.copytree(place, tmp_path, dirs_exist_ok=True)


def test_a_shard_says_that_it_is_one(place):
    answer = call("status", SHARDS[1], cwd=place)
    assert re.match(r"run \w+ tiny, shard 2 of 2: complete .*, 192 of 192 hands \(100%\), 6 chunks", answer.out)
    document = json.loads(call("status", SHARDS[1], "--json", cwd=place).out)
    assert document["runs"][0]["shard"] == "shard 2 of 2"
    lines = call("runs", cwd=place).out.splitlines()
    assert [line.split()[:5] for line in lines[1:]] == [
        [path, lines[1].split()[1], "tiny", f"({k}", "of"] for k, path in enumerate(SHARDS, 1)
    ]
    answer = call("report", SHARDS[0], "--format", "md", "--out", "page.md", cwd=place)
    assert answer.code == 0
    assert "This is shard 1 of 2 of the run" in (place / "page.md").read_text()
    again = call("run", "tiny.yaml", "--shard", "2/2", "--local", "--json", cwd=place)
    assert "is already complete" in again.err
    document = json.loads(again.out)
    assert (document["shard"], document["n_shards"], document["hands"]) == (2, 2, 192)


def test_a_folder_of_results_stands_for_whole_runs(copy):
    assert call("merge", "runs/tiny.duckdb", *SHARDS, cwd=copy).code == 0
    answer = process("query", "runs", "SELECT sum(n_hands) AS hands FROM chunks", "--format", "csv", cwd=copy)
    assert (answer.code, answer.out) == (0, "hands\n400\n")
    assert answer.err == "".join(
        f"left out: {path}: is shard {k} of 2; razzsim merge puts shards together\n" for k, path in enumerate(SHARDS, 1)
    )


@pytest.mark.parametrize("word", ["0/2", "3/2", "2", "1/0", "-1/2", "1/2/3", "a/b"])
def test_shards_that_cannot_be(word, place):
    answer = call("run", "tiny.yaml", f"--shard={word}", "--local", cwd=place)
    assert answer.code == 2
    assert f"{word} is not allowed: K/N with 1 <= K <= N" in answer.error


def test_shards_are_put_together(copy):
    answer = call("merge", "m.duckdb", *reversed(SHARDS), cwd=copy)
    assert (answer.code, answer.err) == (0, "")
    assert re.fullmatch(r"m\.duckdb: run \w+, 400 hands of 2 files\n", answer.out)
    ranking = "SELECT * FROM standings ORDER BY rank"
    assert call("query", "m.duckdb", ranking, cwd=copy).out == call("query", "tiny.duckdb", ranking, cwd=copy).out
    again = call("merge", "m.duckdb", *SHARDS, cwd=copy)
    assert (again.code, again.error) == (
        2,
        "m.duckdb: exists already: choose another name for what is put together, or remove it if a merge that was "
        "killed left it",
    )
    some = call("merge", "some.duckdb", SHARDS[0], cwd=copy)
    assert (some.code, some.err) == (3, "stopped: chunks are missing; go on with: razzsim resume some.duckdb\n")
    assert call("resume", "some.duckdb", "--local", cwd=copy).code == 0
    assert call("query", "some.duckdb", ranking, cwd=copy).out == call("query", "tiny.duckdb", ranking, cwd=copy).out
    twice = call("merge", "twice.duckdb", "tiny.duckdb", SHARDS[0], cwd=copy)
    assert twice.code == 2
    assert twice.error.startswith(f"{SHARDS[0]}: line-up 0, deals 0 to 15, is in tiny.duckdb too")


def test_hands_of_a_shard_are_found_and_written_down(copy):
    """Its deals have gaps: chunks of 16 deals, of which the second shard has every other."""
    answer = call("hand", "find", SHARDS[1], "seat = 0", "--limit", "1000", "--local", "--json", cwd=copy)
    deals = {row["deal"] for row in json.loads(answer.out)}
    assert deals == {deal for deal in range(200) if deal // 16 % 2}
    assert call("materialize", SHARDS[1], "--level", "groups", "--local", cwd=copy).code == 0
    counted = call("query", SHARDS[1], "SELECT count(DISTINCT deal) AS n FROM groups", "--format", "csv", cwd=copy)
    assert counted.out == "n\n96\n"


@pytest.mark.slow
def test_workers_find_and_write_down_what_one_process_does(copy):
    """Over a Ray with two workers."""
    searched = ("hand", "find", "tiny.duckdb", "net_chips < -8", "--limit", "1000", "--json")
    alone, together = (json.loads(call(*searched, *how, cwd=copy).out) for how in (["--local"], ["--workers", "2"]))
    assert together == alone
    assert len(alone) > 20
    answer = call("materialize", "tiny.duckdb", "--level", "hands", "--workers", "2", cwd=copy)
    assert answer.code == 0, answer.err
    of_hands = "SELECT count(*) AS n, sum(hash(h)::HUGEINT) AS hash FROM hands h"
    told = call("query", "tiny.duckdb", of_hands, "--format", "csv", cwd=copy).out
    (copy / "rows.yaml").write_text((copy / "tiny.yaml").read_text() + "record: hands\n")
    assert call("run", "rows.yaml", "--local", "--out", "rows.duckdb", cwd=copy).code == 0
    assert call("query", "rows.duckdb", of_hands, "--format", "csv", cwd=copy).out == told


def test_more_deals(copy):
    fewer = call("resume", "tiny.duckdb", "--deals", "100", "--local", cwd=copy)
    assert fewer.code == 2
    assert fewer.error.startswith("tiny.duckdb: --deals 100 is not allowed: the run has 200 deals")
    (copy / "more.yaml").write_text((copy / "tiny.yaml").read_text().replace("deals: 200", "deals: 300"))
    offered = call("run", "more.yaml", "--out", "tiny.duckdb", "--local", cwd=copy)
    assert offered.code == 2
    assert offered.error.endswith("with: razzsim resume tiny.duckdb --deals 300")
    assert call("resume", "tiny.duckdb", "--deals", "300", "--local", cwd=copy).code == 0
    assert call("run", "more.yaml", "--out", "more.duckdb", "--local", cwd=copy).code == 0
    ranking = "SELECT * FROM standings ORDER BY rank"
    assert call("query", "tiny.duckdb", ranking, cwd=copy).out == call("query", "more.duckdb", ranking, cwd=copy).out
    assert call("report", "tiny.duckdb", "--format", "md", "--out", "longer.md", cwd=copy).code == 0
    said = "The run was begun with 200 deals and extended: write deals: 300 and batch_groups: 16 into it first."
    assert said in (copy / "longer.md").read_text().replace("\\_", "_")


def test_verify(copy):
    answer = call("verify", "tiny.duckdb", "--sample", "20%", "--seed", "5", "--local", cwd=copy)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out == "tiny.duckdb: played again 3 of 13 batches, 3 chunks, 96 hands (--seed 5): all equal\n"
    with duckdb.connect(str(copy / "tiny.duckdb")) as connection:
        worker, cpu = connection.execute("SELECT worker, cpu FROM workers").fetchone()
        connection.execute("UPDATE group_sums SET net_chips = 77 WHERE (batch, entrant) = (12, 1)")
        ((net,),) = connection.execute("SELECT -net_chips FROM group_sums WHERE batch = 12 AND entrant = 0").fetchall()
    answer = call("verify", "tiny.duckdb", "--sample", "1", "--seed", "5", "--local", cwd=copy)
    assert answer.code == 1
    assert answer.out == (
        "tiny.duckdb: played again 13 of 13 batches, 13 chunks, 400 hands (--seed 5): line-up 0, deals 192 to 199, "
        f"played by {worker} ({cpu}): group_sums.net_chips entrant 1 is 77, played again {net}\n"
    )
    document = json.loads(call("verify", "tiny.duckdb", "--sample", "100%", "--local", "--json", cwd=copy).out)
    assert (document["difference"]["stored"], document["difference"]["played"]) == (77, net)
    with duckdb.connect(str(copy / "tiny.duckdb")) as connection:
        connection.execute("UPDATE runs SET engine_version = 1")
    answer = call("verify", "tiny.duckdb", "--local", cwd=copy)
    assert answer.code == 2
    assert "was played by engine version 1" in answer.error


@pytest.mark.parametrize("word", ["0", "0%", "101%", "1.5", "a", "", "-1"])
def test_samples_that_cannot_be(word, place):
    answer = call("verify", "tiny.duckdb", f"--sample={word}", "--local", cwd=place)
    assert answer.code == 2
    assert "is not allowed: a share above 0, at most 1, such as 1% or 0.01" in answer.error
