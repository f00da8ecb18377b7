"""`standings` and `head_to_head` against NumPy: means, errors, intervals and paired differences, made another way.

The results of single deal groups come from a run whose batches and chunks are one group each; everything is computed
from those by textbook formulas and compared to one part in 10^9. The group is the sample (the hand never is), a
variance of 0 has no standard error, and the 95% interval covers the truth about 95% of the time. Authority:
statistics (designs 3, sums; "all groups zero: never SE 0"), fault G3.
"""

import math
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from razzsim.plan import Chunk, Plan, plan_from_file
from razzsim.runner.jobs import Workbench
from razzsim.schema import arrow_rows
from razzsim.store import CommittedChunk
from razzsim.store.committed import Unpacked, summed
from razzsim.sums import unpack
from tests.runner.helpers import TABLE, experiment, play, rows, unplayed_runs

Z = 1.959963984540054
BIG_BET = 40
COUNTED = [{"strategy": "tight", "count": 2}, {"strategy": "loose", "count": 3}, {"strategy": "station"}]
FIELD: dict[str, Any] = {"schedule": "table", "table": {**TABLE, "seats": 6}, "entrants": COUNTED, "deals": 200}
ROUND: dict[str, Any] = {
    "schedule": "round_robin",
    "entrants": [{"strategy": "tight"}, {"strategy": "loose"}, {"strategy": "thief"}, {"strategy": "station"}],
}
Groups = dict[tuple[int, str], np.ndarray]


@pytest.fixture(scope="module")
def field_groups(tmp_path_factory: pytest.TempPathFactory) -> Groups:
    """The deal groups of FIELD."""
    return groups_of(tmp_path_factory.mktemp("field"), **FIELD)


@pytest.fixture(scope="module")
def round_groups(tmp_path_factory: pytest.TempPathFactory) -> Groups:
    """The first 640 deal groups of ROUND: a shorter run has the first of them."""
    return groups_of(tmp_path_factory.mktemp("round"), deals=640, **ROUND)


def groups_of(folder: Path, **keys: Any) -> Groups:
    """(line-up, entrant) -> net chips of every deal group."""
    run = play(experiment(folder, "groups", batch_groups=1, chunk_groups=1, **keys), "groups.duckdb")
    found = defaultdict(list)
    sql = "SELECT line_up, name, net_chips, net_sq, n_groups FROM group_sums JOIN entrants USING (run_id, entrant)"
    for line_up, name, net, square, n in rows(run.path, f"{sql} ORDER BY line_up, batch"):
        assert (n, square) == (1, net * net)
        found[line_up, name].append(float(net))
    return {key: np.array(nets) for key, nets in found.items()}


def standings_of(run: Any) -> dict[str, dict[str, Any]]:
    return {row["entrant"]: row for row in run.standings().to_pylist()}


def check_rate(row: dict[str, Any], chips_a_hand: float, error: float) -> None:
    """Mean, standard error and interval of a row, in BB/100."""
    mean, se = 100 * chips_a_hand / BIG_BET, 100 * error / BIG_BET
    found = [row[name] for name in ("bb100", "se_bb100", "lo_bb100", "hi_bb100")]
    assert found == pytest.approx([mean, se, mean - Z * se, mean + Z * se], rel=1e-9)


@pytest.mark.parametrize("batch_groups", [1, 16, 256])
def test_a_table_with_different_counts(batch_groups: int, field_groups: Groups, tmp_path: Path) -> None:
    groups = field_groups
    run = play(experiment(tmp_path, batch_groups=batch_groups, **FIELD), "x.duckdb")
    by_name = standings_of(run)
    rates = {}
    for (_, name), nets in groups.items():
        count = {"tight": 2, "loose": 3, "station": 1}[name]
        per_hand = rates[name] = nets / (6 * count)
        assert (by_name[name]["groups"], by_name[name]["hands"]) == (200, 1200 * count)
        check_rate(by_name[name], per_hand.mean(), per_hand.std(ddof=1) / math.sqrt(200))
        assert by_name[name]["sb_hand"] == pytest.approx(per_hand.mean() / 20, rel=1e-9)
    order = sorted(rates, key=lambda name: -rates[name].mean())
    assert [row["entrant"] for row in run.standings().to_pylist()] == order
    assert [row["rank"] for row in run.standings().to_pylist()] == [1, 2, 3]
    pairs = run.head_to_head().to_pylist()
    assert len(pairs) == 6
    for row in pairs:
        difference = rates[row["entrant"]] - rates[row["rival"]]
        assert row["bb100"] == pytest.approx(100 * rates[row["entrant"]].mean() / BIG_BET, rel=1e-9)
        check_rate({**row, "bb100": row["diff_bb100"]}, difference.mean(), difference.std(ddof=1) / math.sqrt(200))


def test_two_seats_differ_by_twice_the_rate(tmp_path: Path) -> None:
    run = play(experiment(tmp_path), "x.duckdb")
    by_name = standings_of(run)
    for row in run.head_to_head().to_pylist():
        own = by_name[row["entrant"]]
        assert [row["diff_bb100"], row["se_bb100"]] == pytest.approx([2 * own["bb100"], 2 * own["se_bb100"]], rel=1e-12)


@pytest.mark.parametrize(("deals", "batch_groups"), [(640, 16), (500, 16)])
def test_a_round_robin_takes_its_error_from_batch_totals(
    deals: int, batch_groups: int, round_groups: Groups, tmp_path: Path
) -> None:
    """Line-ups share their deals, so their errors are not independent: at least 32 batches show it."""
    groups = {key: nets[:deals] for key, nets in round_groups.items()}
    run = play(experiment(tmp_path, batch_groups=batch_groups, deals=deals, **ROUND), "x.duckdb")
    n_batches = -(-deals // batch_groups)
    for name, row in standings_of(run).items():
        nets = sum(nets for (_, who), nets in groups.items() if who == name)
        assert (row["groups"], row["hands"], row["net_chips"]) == (deals, 6 * deals, int(nets.sum()))
        if n_batches >= 32:
            sizes = np.array([min(batch_groups, deals - k * batch_groups) for k in range(n_batches)])
            totals = np.add.reduceat(nets, np.arange(0, deals, batch_groups))
            weighted = np.average((totals / sizes - nets.mean()) ** 2, weights=sizes) * sizes.sum() / (n_batches - 1)
            error = math.sqrt(weighted / deals) / 6
        else:
            single = [n.std(ddof=1) / math.sqrt(deals) for (_, who), n in groups.items() if who == name]
            error = sum(single) / 6
        check_rate(row, nets.mean() / 6, error)


@pytest.mark.parametrize("batch_groups", [32, 64])
def test_a_round_robin_of_few_batches_adds_the_errors_up(
    batch_groups: int, round_groups: Groups, tmp_path: Path
) -> None:
    groups = {key: nets[:500] for key, nets in round_groups.items()}
    run = play(experiment(tmp_path, batch_groups=batch_groups, deals=500, **ROUND), "x.duckdb")
    for name, row in standings_of(run).items():
        nets = [nets for (_, who), nets in groups.items() if who == name]
        assert len(nets) == 3
        errors = [math.sqrt(np.var(net, ddof=1) / 500) for net in nets]
        check_rate(row, sum(net.mean() for net in nets) / 6, sum(errors) / 6)


@pytest.mark.parametrize("schedule", ["heads_up", "round_robin"])
def test_results_that_never_differ_have_no_error(schedule: str, tmp_path: Path) -> None:
    twins = [{"strategy": "loose", "name": name} for name in ("b", "a", "c")[: 2 if schedule == "heads_up" else 3]]
    run = play(experiment(tmp_path, entrants=twins, schedule=schedule, batch_groups=8, deals=500), "x.duckdb")
    for row in (*run.standings().to_pylist(), *run.head_to_head().to_pylist()):
        assert [row[name] for name in ("bb100", "se_bb100", "lo_bb100", "hi_bb100")] == [0, None, None, None]
    ranks = [(row["rank"], row["entrant"]) for row in run.standings().to_pylist()]
    assert ranks == [(1, name) for name in sorted(twin["name"] for twin in twins)]


FOLDER = """from razzsim.strategy import CALL, FOLD, strategy

@strategy(declares=("deterministic", "stateless"))
def folder(me, table, p):
    return FOLD if me.legal_mask & 1 else CALL
"""


@pytest.mark.parametrize(("ante", "batch_groups"), [(3, 8), (3, 64), (7, 8)])
def test_a_constant_loss_is_no_spread_either(ante: int, batch_groups: int, tmp_path: Path) -> None:
    """A folder loses two antes and the bring-in on every deal to whoever just calls: not 0, and no variance."""
    (tmp_path / "folder.py").write_text(FOLDER)
    (tmp_path / "caller.py").write_text(FOLDER.replace("FOLD if me.legal_mask & 1 else CALL", "CALL"))
    names = ["folder", "caller", "caller2"]
    (tmp_path / "caller2.py").write_text((tmp_path / "caller.py").read_text())
    entrants = [{"strategy": f"{name}.py", "name": name} for name in names]
    table = {**TABLE, "ante": ante}
    config = experiment(
        tmp_path, entrants=entrants, schedule="round_robin", table=table, batch_groups=batch_groups, deals=500
    )
    run = play(config, "x.duckdb")
    row = standings_of(run)["folder"]
    assert row["bb100"] == pytest.approx(-100 * (2 * ante + 5) / 2 / BIG_BET, rel=1e-12)
    assert (row["se_bb100"], row["lo_bb100"], row["hi_bb100"]) == (None, None, None)


def test_a_single_group_has_no_error(tmp_path: Path) -> None:
    run = play(experiment(tmp_path, deals=1, seed=3), "x.duckdb")
    for row in (*run.standings().to_pylist(), *run.head_to_head().to_pylist()):
        assert (row["groups"], row["hands"], row["se_bb100"], row["lo_bb100"]) == (1, 2, None, None)
        assert math.isfinite(row["bb100"])


# --- intervals against the truth: runs with other seeds in one file, rated by the view ---

RAISER = """from razzsim.strategy import CALL, RAISE, strategy

@strategy(declares=("deterministic", "stateless"))
def raiser(me, table, p):
    return RAISE if me.raise_to_chips else CALL
"""
DEAR = {name: amount if name == "seats" else 800_000 * amount for name, amount in TABLE.items()}
"""Bets so large that the squares of a hundred deals need their high word."""


def dear_plan(folder: Path, *strategies: str, **keys: Any) -> Plan:
    (folder / "raiser.py").write_text(RAISER)
    entrants = [{"strategy": "raiser.py" if name == "raiser" else name, "name": name} for name in strategies]
    return plan_from_file(experiment(folder, table=DEAR, entrants=entrants, **keys))


def truth_of(plan: Plan, n_runs: int) -> dict[str, np.ndarray]:
    """BB/100 of every entrant in as many other runs, by entrant: from net chips alone, without store and views."""
    bench = Workbench(replace(plan, seed=1_000_003))
    net, hands = np.zeros((2, n_runs, len(plan.entrants)))
    for line_up in plan.line_ups:
        for k in range(n_runs):
            sums = bench.play(Chunk(line_up.number, k * plan.deals, plan.deals)).sums
            assert sums is not None
            for place, row in zip(line_up.places, unpack(sums)["entrants"].tolist(), strict=True):
                hands[k, place] += row[0]
                net[k, place] += row[2]
    return {e.name: rates for e, rates in zip(plan.entrants, (100 * net / hands / DEAR["big_bet"]).T, strict=True)}


def rated_runs(file: Path, plan: Plan, n_runs: int) -> dict[str, np.ndarray]:
    """What `standings` says of runs with seeds 0, 1, ...: by entrant, a row a run of bb100, se, lo and hi.

    The sums of all runs enter their tables at once, and no counters: a commit for each took 40 of 43 s.
    """
    connection = unplayed_runs(file, plan, n_runs)
    connection.execute("UPDATE line_ups SET deals_done = ?", [plan.deals])
    places = {line_up.number: line_up.places for line_up in plan.line_ups}
    rows_by_table = defaultdict(list)
    largest = 0
    for seed in range(n_runs):
        bench = Workbench(replace(plan, seed=seed))
        sums = [played for chunk in plan.chunks() if (played := bench.play(chunk).sums) is not None]
        largest = max(largest, *(int(unpack(packed)["entrants"][:, 3].max()) for packed in sums))
        assert len(sums) == plan.n_chunks
        chunks = [Unpacked.of(CommittedChunk(packed, "here", 1)) for packed in sums]
        for table, made in summed(chunks, places, plan.batch_groups).items():
            rows_by_table[table] += [{"run_id": str(seed), **row} for row in made]
    for table, made in rows_by_table.items():
        new = arrow_rows(table, made)  # noqa: F841 - DuckDB reads it by name
        connection.execute(f"INSERT INTO {table} SELECT * FROM new")
    assert (largest > 0) == (plan.chunk_groups > 100), "squares that need their high word"
    sql = "SELECT entrant, groups, bb100, se_bb100, lo_bb100, hi_bb100 FROM standings ORDER BY run_id::INT, entrant"
    found = connection.execute(sql).fetchall()
    assert len(found) == n_runs * len(plan.entrants)
    assert {groups for _, groups, *_ in found} == {plan.deals}
    return {e.name: np.array([row[2:] for row in found if row[0] == e.name]) for e in plan.entrants}


def check_covering(rated: dict[str, np.ndarray], truth: dict[str, np.ndarray], low: float, high: float) -> None:
    """Intervals hold the true rate in a share of the runs from low to high; errors are as large as rates spread."""
    for name, rates in truth.items():
        bb100, se, lo, hi = rated[name].T
        rate, spread = rates.mean(), rates.std(ddof=1)
        assert low <= np.mean((lo <= rate) & (rate <= hi)) <= high, name
        assert bb100.mean() == pytest.approx(rate, abs=4 * spread / math.sqrt(len(se))), name
        assert np.sqrt(np.mean(se**2)) == pytest.approx(spread, rel=0.05), name


@pytest.mark.slow
def test_the_interval_covers_the_truth(tmp_path: Path) -> None:
    """One line-up, from its groups: 400 runs of 250 deals against the mean of a million others."""
    plan = dear_plan(tmp_path, "raiser", "loose", deals=250, batch_groups=128, chunk_groups=128)
    check_covering(rated_runs(tmp_path / "x.duckdb", plan, 400), truth_of(plan, 4000), 0.92, 0.98)


@pytest.mark.slow
def test_the_interval_of_a_round_robin_covers_the_truth(tmp_path: Path) -> None:
    """Three line-ups on the same deals, from the totals of 33 batches; 1.96 errors of so few cover about 94%."""
    strategies, deals = ("tight", "raiser", "loose"), 16 * 33 - 5  # the last batch is smaller
    plan = dear_plan(tmp_path, *strategies, schedule="round_robin", deals=deals, batch_groups=16, chunk_groups=16)
    check_covering(rated_runs(tmp_path / "x.duckdb", plan, 200), truth_of(plan, 2000), 0.905, 0.975)
