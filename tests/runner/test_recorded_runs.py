"""Recorded runs as a whole: interrupted, copied, linked, sampled, searched, and played again after the fact.

Authority: law 6 (any stored hand can be played again), law 1 (chunks, workers and interruptions change nothing).
"""

import shutil
from pathlib import Path
from typing import Any

import pytest

from razzsim.runner import session
from razzsim.runner.replay import StoredRun, find, materialize
from razzsim.runner.session import Options, Watch
from razzsim.store import QueryError, Reader, StoreError
from tests.runner.helpers import TABLE, experiment, play, play_interrupted, rows, sums
from tests.runner.test_recording import TABLES

LONG: dict[str, Any] = {
    "schedule": "table",
    "table": {**TABLE, "seats": 6},
    "entrants": [{"strategy": "station", "count": 4}, {"strategy": "loose", "count": 2}],
    "deals": 12_000,
    "batch_groups": 4096,
}
MANY: dict[str, Any] = {**LONG, "deals": 3000, "chunk_groups": 64}
"""Chunks enough to be interrupted between them."""
ALL_ROWS = {
    "groups": "SELECT * FROM groups ORDER BY line_up, deal, entrant",
    "hands": "SELECT * FROM hands ORDER BY line_up, deal, rotation",
    "actions": "SELECT * FROM actions ORDER BY line_up, deal, rotation, n",
}


def recorded(path: Path, *levels: str) -> list[Any]:
    """Tables of rows, in order."""
    with Reader(path) as reader:
        return [reader.query(ALL_ROWS[level]) for level in levels or ALL_ROWS]


@pytest.fixture(scope="module")
def long_run(tmp_path_factory: pytest.TempPathFactory) -> session.Run:
    """72,000 hands and half a million decisions: more than the kernel's buffers hold at once."""
    folder = tmp_path_factory.mktemp("long")
    return play(experiment(folder, record="actions", **LONG), "long.duckdb")


@pytest.mark.slow
def test_recording_workers_and_chunks_change_nothing(long_run: session.Run, tmp_path: Path, ray_address: str) -> None:
    groups, hands, actions = recorded(long_run.path)
    assert (len(groups), len(hands)) == (24_000, 72_000)
    assert len(actions) > 1 << 18
    (decisions,) = rows(long_run.path, "SELECT sum(n_decisions) FROM chunks")
    assert len(actions) == decisions[0]
    without = play(experiment(tmp_path, "without", **LONG), "without.duckdb")
    assert sums(without.path) == sums(long_run.path)
    assert not list(tmp_path.glob("*.parts"))
    config = experiment(tmp_path, "ray", record="actions", chunk_groups=512, **LONG)
    by_ray = play(config, "ray.duckdb", local=False, workers=2, address=ray_address)
    assert recorded(by_ray.path) == [groups, hands, actions]
    assert len(list((tmp_path / "ray.parts").iterdir())) == 3, "small parts are put together"


@pytest.mark.slow
def test_an_interrupted_run_records_every_row_once(tmp_path: Path) -> None:
    whole = play(experiment(tmp_path, "whole", record="actions", **{**MANY, "chunk_groups": 1024}), "whole.duckdb")
    config = experiment(tmp_path, record="actions", **MANY)
    stopped = play_interrupted(config, "x.duckdb", after_hands=1)
    assert stopped.status == "stopped"
    committed = rows(stopped.path, "SELECT sum(n_hands) FROM chunks")[0][0]
    assert rows(stopped.path, "SELECT count(*) FROM hands") == [(committed,)]
    folder = tmp_path / "x.parts"
    (folder / f"hands-{stopped.run_id}-00000-000000000000-dead.parquet").write_bytes(
        b"of a chunk that was never committed"
    )
    (folder / f"hands-{stopped.run_id}-00000-000000000064-dead.parquet.writing").write_bytes(
        b"of a worker that was killed"
    )
    resumed = session.resume(stopped.path, Options(local=True))
    assert resumed.status == "complete"
    assert recorded(resumed.path) == recorded(whole.path)
    known = {Path(path).name for (path,) in rows(resumed.path, "SELECT path FROM parts")}
    assert {file.name for file in folder.iterdir()} == known


def test_rows_of_another_result_are_never_touched(tmp_path: Path) -> None:
    keys = {"record": "hands", "deals": 50}
    play(experiment(tmp_path, "first", **keys), "x.duckdb")
    before = recorded(tmp_path / "x.duckdb", "hands")
    (tmp_path / "x.duckdb").rename(tmp_path / "old.duckdb")  # and its files stay where they are
    with pytest.raises(StoreError, match=r"x\.parts: holds rows of another result"):
        play(experiment(tmp_path, "second", seed=2, **keys), "x.duckdb")
    assert not (tmp_path / "x.duckdb").exists()
    assert recorded(tmp_path / "old.duckdb", "hands") == before


def test_a_copy_goes_on_with_its_own_files(tmp_path: Path) -> None:
    config = experiment(tmp_path, record="hands", **MANY)
    stopped = play_interrupted(config, "x.duckdb", after_hands=1)
    before = recorded(stopped.path, "hands")
    (tmp_path / "copy.duckdb").write_bytes(stopped.path.read_bytes())
    shutil.copytree(tmp_path / "x.parts", tmp_path / "copy.parts")
    resumed = session.resume(tmp_path / "copy.duckdb", Options(local=True))
    assert rows(resumed.path, "SELECT count(*) FROM hands") == [(18_000,)]
    assert recorded(stopped.path, "hands") == before
    assert rows(resumed.path, "SELECT bool_and(contains(path, '/copy.parts/')) FROM parts") == [(True,)]


@pytest.mark.parametrize("is_stopped", [True, False], ids=["stopped", "complete"])
def test_a_copy_without_its_files_leaves_those_of_the_first(tmp_path: Path, is_stopped: bool) -> None:
    """Its rows are linked into a folder of its own; compaction deletes there, and nowhere else."""
    config = experiment(tmp_path, record="hands", **MANY)
    first = play_interrupted(config, "x.duckdb", after_hands=1) if is_stopped else play(config, "x.duckdb")
    before, files = recorded(first.path, "hands"), sorted((tmp_path / "x.parts").iterdir())
    copy = Path(shutil.copy(first.path, tmp_path / "copy.duckdb"))
    resumed = session.resume(copy, Options(local=True), deals=3200)
    assert rows(resumed.path, "SELECT count(*) FROM hands") == [(6 * 3200,)]
    assert sorted((tmp_path / "x.parts").iterdir()) == files
    assert recorded(first.path, "hands") == before
    assert rows(copy, "SELECT bool_and(contains(path, '/copy.parts/')) FROM parts") == [(True,)]


def test_a_run_whose_rows_are_missing_does_not_go_on(tmp_path: Path) -> None:
    run = play(experiment(tmp_path, record="groups", deals=20), "x.duckdb")
    (file,) = (tmp_path / "x.parts").iterdir()
    file.unlink()
    before = run.path.read_bytes()
    with pytest.raises(StoreError, match=f"{file}: rows of groups were recorded in it, and it is missing: put it back"):
        session.resume(run.path, Options(local=True), deals=40)
    assert run.path.read_bytes() == before


def test_what_a_driver_left_that_was_killed_at_the_very_end_goes(tmp_path: Path) -> None:
    """The run is complete: its snapshot, and files that were put together already, have nobody else to remove them."""
    run = play(experiment(tmp_path, record="groups", deals=20), "x.duckdb")
    folder, snapshot = tmp_path / "x.parts", tmp_path / "x.snapshot.duckdb"
    (file,) = folder.iterdir()
    for again in (lambda: session.resume(run.path), lambda: play(tmp_path / "x.yaml", "x.duckdb")):
        shutil.copy(file, folder / f"groups-{run.run_id}-dead.parquet")
        shutil.copy(run.path, snapshot)
        assert again().status == "complete"
        assert (list(folder.iterdir()), snapshot.exists()) == ([file], False)


def test_a_sample_is_the_same_deals_in_every_line_up_and_can_be_completed(tmp_path: Path) -> None:
    keys = TABLES["two line-ups of three seats"] | {"deals": 600}
    whole = play(experiment(tmp_path, "whole", record="hands", **keys), "whole.duckdb")
    config = experiment(tmp_path, "some", record={"level": "groups", "sample": 0.2}, **keys)
    some = play(config, "some.duckdb")
    by_line_up = rows(some.path, "SELECT line_up, list(DISTINCT deal ORDER BY deal) FROM groups GROUP BY 1 ORDER BY 1")
    assert by_line_up[0][1] == by_line_up[1][1]
    assert 76 < len(by_line_up[0][1]) < 164  # 120 +- 4.5 sigma
    stored, options, all_deals = StoredRun.read(some.path), Options(local=True), (0, 600)

    def fill(level: str, deals: tuple[int, int]) -> int:
        return materialize(stored, level, line_ups=[0, 1], deals=deals, options=options, watch=Watch())

    assert fill("groups", (500, 600)) == sum(
        2 for _, deals in by_line_up for deal in range(500, 600) if deal not in deals
    )
    fill("groups", all_deals)
    assert fill("hands", (100, 300)) == 2 * 200 * 3
    assert fill("hands", all_deals) == 2 * 400 * 3
    assert fill("hands", all_deals) == fill("groups", all_deals) == 0
    assert recorded(some.path, "groups", "hands") == recorded(whole.path, "groups", "hands")
    assert (
        materialize(StoredRun.read(whole.path), "hands", line_ups=[0], deals=all_deals, options=options, watch=Watch())
        == 0
    )


FIND = "entrant = 'loose' AND net_chips < -100 AND street = 7 AND NOT won"


@pytest.mark.slow
def test_hands_are_found_by_what_happened_without_being_recorded(
    long_run: session.Run, tmp_path: Path, ray_address: str
) -> None:
    columns = "line_up, deal, rotation, seat, entrant, position, street, cards, put_chips, net_chips, pot_chips"
    sql = f"SELECT {columns}, showdown, won FROM hand_seats WHERE {FIND} ORDER BY ALL LIMIT 50"
    with Reader(long_run.path) as reader:
        expected = reader.query(sql).to_pylist()
    assert len(expected) == 50
    run = play(experiment(tmp_path, **LONG), "x.duckdb")
    stored = StoredRun.read(run.path)
    given: dict[str, Any] = {"line_ups": [0], "options": Options(local=True), "watch": Watch()}
    assert find(stored, FIND, deals=(0, 12_000), limit=50, **given).to_pylist() == expected
    with Reader(long_run.path) as reader:
        later = reader.query(sql.replace("ORDER BY ALL LIMIT 50", "AND deal >= 300 ORDER BY ALL LIMIT 5")).to_pylist()
    assert find(stored, FIND, deals=(300, 12_000), limit=5, **given).to_pylist() == later
    assert find(stored, "net_chips > 1000000", deals=(0, 1000), limit=5, **given).num_rows == 0
    for address in (None, ray_address):
        given["options"] = Options(local=address is None, address=address)
        with pytest.raises(QueryError, match=r"^Conversion Error: [^\n]*$"):
            find(stored, "cards::INT = 1", deals=(0, 10), limit=5, **given)
    for wrong in (
        *("net_chips <", "no_such_column = 1", "1) UNION SELECT (2", "true; DROP TABLE runs", "", "street, seat"),
        "true) QUALIFY (row_number() OVER () = 1",
    ):
        with pytest.raises(QueryError):
            find(stored, wrong, deals=(0, 10), limit=5, **given)
    for every in ("net_chips = (SELECT max(net_chips) FROM hand_seats)", "seat IN (FROM range(2))"):
        with pytest.raises(QueryError, match=r"^a subquery is not allowed [^\n]*: record the rows with razzsim mater"):
            find(stored, every, deals=(0, 10), limit=5, **given)


def test_files_moved_together_are_read_where_they_are(long_run: session.Run, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere"
    other.mkdir()
    (other / "moved.duckdb").write_bytes(long_run.path.read_bytes())
    parts = other / "moved.parts"
    parts.mkdir()
    for file in long_run.path.with_name("long.parts").iterdir():
        (parts / file.name).write_bytes(file.read_bytes())
    before = rows(long_run.path, "SELECT count(*) FROM actions")
    hidden = long_run.path.with_name("hidden")
    long_run.path.with_name("long.parts").rename(hidden)
    try:
        assert rows(other / "moved.duckdb", "SELECT count(*) FROM actions") == before
    finally:
        hidden.rename(long_run.path.with_name("long.parts"))


def test_a_link_to_a_result_finds_and_leaves_rows_beside_the_result(tmp_path: Path) -> None:
    (tmp_path / "away").mkdir()
    run = play(experiment(tmp_path, deals=20), "x.duckdb")
    link = tmp_path / "away" / "link.duckdb"
    link.symlink_to(run.path)
    given: dict[str, Any] = {"line_ups": [0], "deals": (0, 20), "options": Options(local=True), "watch": Watch()}
    assert materialize(StoredRun.read(link), "hands", **given) == 40
    assert rows(link, "SELECT count(*) FROM hands") == rows(run.path, "SELECT count(*) FROM hands") == [(40,)]
    assert [file.name for file in (tmp_path / "away").iterdir()] == ["link.duckdb"]


def test_another_engine_version_plays_nothing_again(long_run: session.Run, tmp_path: Path) -> None:
    import duckdb

    copy = tmp_path / "copy.duckdb"
    copy.write_bytes(long_run.path.read_bytes())
    with duckdb.connect(str(copy)) as connection:
        connection.execute("UPDATE runs SET engine_version = 1")
    with pytest.raises(StoreError, match="was played by engine version 1, this is"):
        StoredRun.read(copy)
