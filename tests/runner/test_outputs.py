"""What can be done with a run's output: more deals, shards put together, a sample played again - to the same bits.

Authority: law 1 (the numbers follow from plan and seed alone), law 3 (nothing counts twice), law 6 (any stored hand can
be played again).
"""

import shutil
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import duckdb
import pytest

from razzsim import StoreError, resume
from razzsim.plan import Shard
from razzsim.records import TABLES
from razzsim.runner import session
from razzsim.runner.merging import merge
from razzsim.runner.replay import StoredRun
from razzsim.runner.session import Options, Watch
from razzsim.runner.verify import Verified, verify
from razzsim.store import HeldError, Reader, Writer
from tests.runner.helpers import TABLE, experiment, failing, play, rows

LOCAL = Options(local=True)
KEYS: dict[str, Any] = {
    "name": "outputs",
    "schedule": "round_robin",
    "table": TABLE,
    "entrants": [{"strategy": "tight"}, {"strategy": "loose"}, {"strategy": "random"}],
    "deals": 300,
    "batch_groups": 64,
    "chunk_groups": 16,
}
OF_THE_PLAY = {
    "runs": {"host", "versions", "wall_s", "cpu_s", "created_at", "attempt", "config", "plan"},
    "chunks": {"chunk_s", "cpu_s", "worker", "committed_at"},
    "parts": {"path", "n_bytes"},
}
"""Columns that say when and where something was played, or how it was asked for."""


def tables(path: Path, *without: str) -> dict[str, list[tuple[Any, ...]]]:
    """All that a result holds and all its views say, without times, places, and these tables."""
    names = [table.name for table in TABLES] + ["standings", "head_to_head", "convergence", "hands", "groups"]
    told = {}
    with Reader(path) as reader:
        for name in set(names) - {"workers", *without}:
            gone = ", ".join(OF_THE_PLAY.get(name, ()))
            sql = f"SELECT * {f'EXCLUDE ({gone})' if gone else ''} FROM {name} ORDER BY ALL"
            told[name] = [tuple(row.values()) for row in reader.query(sql).to_pylist()]
    return told


def shards_of(config: Path, of: int) -> list[Path]:
    """The files of all shards, played one by one."""
    paths = [config.parent / f"{number}-of-{of}.duckdb" for number in range(1, of + 1)]
    for number, path in enumerate(paths, 1):
        assert session.run(config, path, LOCAL, shard=Shard(number, of)).status == "complete"
    return paths


# --- more deals ---


@pytest.mark.parametrize("chunk_groups", [pytest.param(16, marks=pytest.mark.slow), 64])
def test_a_run_with_more_deals_is_the_longer_run(chunk_groups: int, tmp_path: Path) -> None:
    """300 deals end within a chunk and within a batch."""
    keys = {**KEYS, "record": {"level": "hands", "sample": 0.3}, "chunk_groups": chunk_groups}
    long = play(experiment(tmp_path, "long", **{**keys, "deals": 500}), "long.duckdb")
    expected = tables(long.path, "chunks", "parts")
    short = play(experiment(tmp_path, **keys), "short.duckdb")
    before = rows(short.path, "SELECT * FROM chunks")
    extended = resume(short.path, deals=500, local=True)
    assert (extended.status, extended.row["attempt"], extended.row["deals"]) == ("complete", 2, 500)
    assert tables(short.path, "chunks", "parts") == expected
    assert set(before) < set(rows(short.path, "SELECT * FROM chunks"))
    assert rows(short.path, "FROM chunks WHERE (first_group + n_groups - 1) // 64 > first_group // 64") == []


def _but(keys: dict[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in keys.items() if key not in names}


@pytest.mark.slow
def test_an_unfinished_run_gets_more_deals(tmp_path: Path) -> None:
    keys = {**KEYS, "chunk_groups": 4}
    expected = tables(play(experiment(tmp_path, **{**keys, "deals": 430}), "long.duckdb").path, "chunks")
    path = _half_played(experiment(tmp_path, **keys))
    assert resume(path, deals=430, local=True).status == "complete"
    assert tables(path, "chunks") == expected


def _half_played(config: Path) -> Path:
    """A run of which every other chunk is played: a shard that does not know that it is one."""
    path = config.parent / "half.duckdb"
    session.run(config, path, LOCAL, shard=Shard(1, 2))
    whole = play(config, "whole.duckdb")
    with duckdb.connect(str(path)) as connection:
        sql = "UPDATE runs SET shard = NULL, n_shards = NULL, status = 'stopped', plan = ?"
        connection.execute(sql, [whole.row["plan"]])
    return path


def test_deals_are_never_taken_away(tmp_path: Path) -> None:
    run = play(experiment(tmp_path, **KEYS), "x.duckdb")
    before = run.path.read_bytes()
    with pytest.raises(StoreError, match="--deals 299 is not allowed: the run has 300 deals, and none is taken away"):
        resume(run.path, deals=299, local=True)
    with pytest.raises(StoreError, match=r"at most 281,474,976,710,656"):
        resume(run.path, deals=1 << 49, local=True)
    assert resume(run.path, deals=300, local=True).row["attempt"] == 1
    assert run.path.read_bytes() == before


@pytest.mark.parametrize("batch_groups", [64, None])
def test_run_with_more_deals_offers_to_extend(batch_groups: int | None, tmp_path: Path) -> None:
    """The default of batch_groups follows from the deals; what was asked for is still only more deals."""
    keys = {**KEYS, "batch_groups": batch_groups, "chunk_groups": None}
    run = play(experiment(tmp_path, **keys), "x.duckdb")
    more = experiment(tmp_path, **{**keys, "deals": 3000})
    words = r"holds this run with 300 deals, not 3,000; .* resume .*x\.duckdb --deals 3000$"
    with pytest.raises(StoreError, match=words):
        play(more, "x.duckdb")
    other = {**keys, "deals": 3000, "seed": 3, "batch_groups": run.row["batch_groups"]}
    with pytest.raises(StoreError, match="what differs: deals, seed"):
        play(experiment(tmp_path, **other), "x.duckdb")


# --- shards ---


@pytest.mark.parametrize("keys", [pytest.param({}, marks=pytest.mark.slow), {"record": "hands", "chunk_groups": 64}])
def test_shards_put_together_are_the_undivided_run(keys: dict[str, Any], tmp_path: Path) -> None:
    config = experiment(tmp_path, **{**KEYS, **keys})
    expected = tables(play(config, "whole.duckdb").path)
    assert len(expected["chunks"]) == 3 * (5 if keys else 19)
    paths = shards_of(config, 3)
    before = [path.read_bytes() for path in paths]
    for number, order in enumerate(permutations(paths)):
        merged = merge(tmp_path / f"merged-{number}.duckdb", order)
        assert (merged.status, merged.shard) == ("complete", None)
        assert tables(merged.path) == expected
        names = {path.name for path in merged.path.parent.glob(f"merged-{number}.parts/*")}
        assert names == {Path(path).name for (path,) in rows(merged.path, "SELECT path FROM parts")}
        if keys:
            break
    assert [path.read_bytes() for path in paths] == before
    for path in paths:  # what was put together stands by itself
        shutil.rmtree(path.with_suffix(".parts"), ignore_errors=True)
    assert tables(merged.path) == expected
    assert len(expected["hands"]) == (3 * 300 * 2 if keys else 0)


@pytest.mark.slow
def test_some_shards_are_an_unfinished_run_that_goes_on(tmp_path: Path) -> None:
    config = experiment(tmp_path, record="hands", **{**KEYS, "chunk_groups": 64})
    expected = tables(play(config, "whole.duckdb").path, "parts")
    third, _, first = reversed(shards_of(config, 3))
    merged = merge(tmp_path / "merged.duckdb", [third, first])
    assert (merged.status, merged.stop_reason) == ("stopped", "chunks are missing")
    assert resume(merged.path, local=True).status == "complete"
    assert tables(merged.path, "parts") == expected


@pytest.mark.slow
def test_a_shard_goes_on_as_that_shard_and_to_more_deals(tmp_path: Path) -> None:
    config = experiment(tmp_path, **KEYS)
    long = experiment(tmp_path, "long", **{**KEYS, "deals": 500})
    expected = tables(play(long, "long.duckdb").path, "chunks", "runs")
    for path in (paths := shards_of(config, 2)):
        extended = resume(path, deals=500, local=True)
        assert (extended.status, extended.shard) == ("complete", Shard(paths.index(path) + 1, 2))
    assert tables(merge(tmp_path / "merged.duckdb", paths).path, "chunks", "runs") == expected


@pytest.mark.slow
def test_more_shards_than_chunks(tmp_path: Path) -> None:
    keys = {**_but(KEYS, "schedule", "entrants"), "deals": 40}
    config = experiment(tmp_path, **keys)
    paths = shards_of(config, 4)
    assert [rows(path, "SELECT sum(n_groups) FROM chunks") for path in paths] == [[(16,)], [(16,)], [(8,)], [(None,)]]
    assert rows(paths[3], "SELECT status, stop_reason, shard, n_shards FROM runs") == [
        ("complete", "there are fewer chunks than shards: none for this one", 4, 4)
    ]
    expected = tables(play(config, "whole.duckdb").path)
    assert tables(merge(tmp_path / "merged.duckdb", paths).path) == expected


@pytest.mark.slow
def test_folded_decisions_are_told_of_once(tmp_path: Path) -> None:
    entrants = [{"strategy": "station"}, failing(tmp_path, "me.cards[0] < 4", "return 7")]
    config = experiment(tmp_path, **_but(KEYS, "schedule", "entrants"), entrants=entrants, on_error="fold")
    expected = tables(play(config, "whole.duckdb").path)
    assert expected["failures"]
    assert tables(merge(tmp_path / "merged.duckdb", shards_of(config, 3)).path) == expected


def refused(paths: Sequence[Path], words: str, error: type[StoreError] = StoreError) -> None:
    out = paths[0].parent / "merged.duckdb"
    with pytest.raises(error, match=words):
        merge(out, paths)
    assert not list(out.parent.glob("merged.*")), "nothing is left"


@pytest.mark.slow
def test_what_cannot_be_put_together(tmp_path: Path) -> None:
    keys = {**KEYS, "record": "hands", "chunk_groups": 64}
    config = experiment(tmp_path, **keys)
    first, second = shards_of(config, 2)
    whole = play(config, "whole.duckdb").path
    refused([first, first], r"1-of-2\.duckdb: is named twice")
    refused(
        [whole, second],
        r"2-of-2\.duckdb: line-up 1, deals 0 to 63, is in .*whole\.duckdb too: its hands would count twice",
    )
    other = play(experiment(tmp_path, "other", **{**keys, "seed": 8}), "o.duckdb")
    refused([first, other.path], r"what differs: seed: play the same experiment for both")
    others = [{"strategy": "tight"}, {"strategy": "loose", "params": {"open_max": 8}}, {"strategy": "random"}]
    other = play(experiment(tmp_path, "other", **{**keys, "entrants": others, "record": "sums"}), "p.duckdb")
    refused([first, other.path], r"what differs: entrant loose \(its params\), record: ")
    extended = shutil.copy(second, tmp_path / "longer.duckdb")
    shutil.copytree(second.with_suffix(".parts"), tmp_path / "longer.parts")
    resume(extended, deals=400, local=True)
    refused([first, extended], "what differs: deals: ")
    (tmp_path / "1-of-2.parts").rename(tmp_path / "away")
    refused([first, second], r"rows of groups were recorded in it, and it is missing")
    (tmp_path / "away").rename(tmp_path / "1-of-2.parts")
    with duckdb.connect(str(second)) as connection:
        connection.execute("UPDATE runs SET engine_version = 1")
    refused([first, second], r"2-of-2\.duckdb: was played by engine version 1, this is \d+: it cannot be put together")
    writer = Writer.open(first, rows(whole, "SELECT run_id FROM runs")[0][0])
    refused([first, whole], r"1-of-2\.duckdb: is held open by this very process", HeldError)
    writer.snapshot()
    refused([first, whole], r"1-of-2\.duckdb: is held open by this very process", HeldError)
    writer.close()
    taken = tmp_path / "taken.duckdb"
    taken.write_text("mine")
    with pytest.raises(StoreError, match=r"taken\.duckdb: exists already"):
        merge(taken, [first, whole])
    assert taken.read_text() == "mine"


def test_an_output_holds_one_shard(tmp_path: Path) -> None:
    config = experiment(tmp_path, **KEYS)
    run = session.run(config, tmp_path / "x.duckdb", LOCAL, shard=Shard(2, 3))
    words = rf"holds shard 2 of 3 of run {run.run_id}, not shard 1 of 3 of run {run.run_id}: choose another --out"
    with pytest.raises(StoreError, match=words):
        session.run(config, run.path, LOCAL, shard=Shard(1, 3))
    with pytest.raises(StoreError, match=f"not all of run {run.run_id}"):
        session.run(config, run.path, LOCAL)
    assert session.run(config, run.path, LOCAL, shard=Shard(2, 3)).row["attempt"] == 1


# --- verified, and refused ---


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of three line-ups with five batches each, the last not full."""
    return play(experiment(tmp_path_factory.mktemp("verify"), **KEYS), "x.duckdb").path


@pytest.fixture
def copy(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(played, tmp_path / "x.duckdb"))


def verified(path: Path, share: float = 1.0, seed: int = 1) -> Verified:
    return verify(StoredRun.read(path), share, seed, LOCAL, Watch())


@pytest.mark.slow
def test_what_was_played_is_verified(played: Path, ray_address: str) -> None:
    told = verified(played)
    assert (told.n_batches, told.of_batches, told.n_chunks, told.n_hands) == (15, 15, 57, 2 * 3 * 300)
    assert (told.n_without_digest, told.difference) == (0, None)
    by_ray = verify(StoredRun.read(played), 1.0, 1, Options(workers=2, address=ray_address), Watch())
    assert by_ray == told
    assert [verified(played, share).n_batches for share in (0.01, 0.2, 0.5)] == [1, 3, 8]


def changed(path: Path, sql: str) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"UPDATE {sql}")


CHANGES = {
    "group_sums SET net_sq = net_sq + 1 WHERE (line_up, batch, entrant) = (2, 4, 1)": (
        ("group_sums", "net_sq", 2, 256, 299, {"entrant": 1}),
        1,
    ),
    "group_cross SET net_net = net_net - 5 WHERE (line_up, batch) = (1, 0)": (
        ("group_cross", "net_net", 1, 0, 63, {"entrant_a": 0, "entrant_b": 2}),
        -5,
    ),
    "chunks SET digest = digest + 1 WHERE (line_up, first_group) = (0, 32)": (("chunks", "digest", 0, 32, 47, {}), 1),
}


@pytest.mark.parametrize("change", CHANGES)
def test_one_changed_number_is_found_and_named(change: str, copy: Path) -> None:
    changed(copy, change)
    found = verified(copy).difference
    assert found is not None
    place, by = CHANGES[change]
    assert (found.table, found.column, found.line_up, found.first, found.last, found.of) == place
    assert found.stored is not None
    assert found.played is not None
    assert found.stored - found.played == by
    ((worker, cpu),) = rows(copy, "SELECT worker, cpu FROM workers")
    assert found.workers == [f"{worker} ({cpu})"]


@pytest.mark.parametrize(
    "change",
    [
        "INSERT INTO group_sums SELECT * REPLACE (batch + 100 AS batch) FROM group_sums",
        "DELETE FROM chunks WHERE line_up = 0",
        "INSERT INTO group_cross SELECT * REPLACE (9 AS batch) FROM group_cross WHERE batch = 0",
    ],
)
def test_sums_of_what_nobody_played_are_a_difference(change: str, copy: Path) -> None:
    """Also when the sample is small."""
    with duckdb.connect(str(copy)) as connection:
        connection.execute(change)
    for share in (0.1, 1.0):
        found = verified(copy, share).difference
        assert found is not None
        assert (found.table[:6], found.played) == ("group_", None)


def test_rows_that_are_not_there_are_a_difference(copy: Path) -> None:
    with duckdb.connect(str(copy)) as connection:
        connection.execute("DELETE FROM group_sums WHERE (line_up, batch, entrant) = (0, 1, 0)")
    found = verified(copy).difference
    assert found is not None
    assert (found.table, found.column, found.first) == ("group_sums", "n_groups", 64)
    assert (found.stored, found.played) == (None, 64)


def test_a_plan_that_was_changed_is_refused_by_name(copy: Path) -> None:
    changed(copy, "runs SET status = 'stopped', plan = replace(plan, 'open_max', 'open_may')")
    words = r"not the one it was begun with; what differs: strategy of entrant tight \(sha256 \w+ then, \w+ now\)"
    for refuses in (lambda: resume(copy, local=True), lambda: StoredRun.read(copy), lambda: merge(Path("x"), [copy])):
        with pytest.raises(StoreError, match=words):
            refuses()
    changed(copy, "runs SET engine_version = 1")
    for refuses in (lambda: resume(copy, local=True), lambda: StoredRun.read(copy)):
        with pytest.raises(StoreError, match="was played by engine version 1, this is"):
            refuses()


def test_the_digest_is_of_the_numbers_alone(played: Path, tmp_path: Path) -> None:
    again = play(experiment(tmp_path, **KEYS), "again.duckdb").path
    digests = "SELECT line_up, first_group, digest FROM chunks ORDER BY ALL"
    assert rows(again, digests) == rows(played, digests)
    assert len({digest for _, _, digest in rows(played, digests)}) == 57


def test_every_worker_is_known(played: Path) -> None:
    sql = "SELECT host, cpu, python, numba, numpy, razzsim FROM chunks JOIN workers USING (run_id, worker)"
    facts = rows(played, sql)
    assert len(facts) == 57
    assert len(set(facts)) == 1
    assert all(facts[0])
    assert rows(played, "SELECT count(*) FROM workers") == [(1,)]
