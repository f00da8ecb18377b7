"""Strategies that raise, answer illegally or never, and workers that get lost: named, counted, and never a hang.

A failure is the same one for any number of workers: the first in the order of the plan. Authority: on_error and
limits of the experiment (stop_run, stop_line_up, fold), faults G1 and G5; strategies' answers are never repaired
silently.
"""

import json
import random
from collections import deque
from pathlib import Path
from typing import Any

import pytest

from razzsim.metrics import Metrics
from razzsim.plan import Plan, plan_from_file
from razzsim.runner import session
from razzsim.runner.dispatch import Dispatcher
from razzsim.runner.executor import Job, Outcome
from razzsim.runner.jobs import Played, Workbench
from razzsim.store import Writer
from razzsim.store.database import Connection, connect, create_schema
from tests.runner.helpers import TABLE, experiment, failing, play, rows, sums

RARE = "table.street == 7 and me.cards[0] == 12 and me.cards[6] == 51"  # about one hand in 2,652 that gets so far
STATION = {"strategy": "station"}
CAUSES = {
    "raises": ("raise ValueError(table.street)", "raised ValueError"),
    "seven": ("return 7", "returned 7; legal here: "),
    "minus": ("return -4", "returned -4; legal here: "),
}


@pytest.mark.parametrize("cause", CAUSES)
def test_stop_run_names_the_first_failure_whatever_the_workers(cause: str, tmp_path: Path, ray_address: str) -> None:
    then, message = CAUSES[cause]
    entrants = [STATION, failing(tmp_path, RARE, then)]
    config = experiment(tmp_path, deals=40_000, entrants=entrants, batch_groups=1024, chunk_groups=64)
    run = play(config, "local.duckdb")
    assert run.status == "failed"
    failures = "SELECT line_up, outcome, entrant, deal, rotation, seat, message FROM failures"
    (found,) = rows(run.path, failures)
    _, outcome, entrant, deal, rotation, seat, said = found
    assert (outcome, entrant, said[: len(message)]) == ("error", 1, message)
    assert run.stop_reason == f"strategy failing, deal {deal}, rotation {rotation}, seat {seat}: {said}"
    assert rows(run.path, "SELECT deals_done FROM line_ups") == [(deal // 64 * 64,)]
    view = json.loads(rows(run.path, "SELECT view FROM failures")[0][0])
    assert (view["me"]["cards"][0], view["me"]["cards"][6], view["me"]["seat"]) == (12, 51, seat)
    for workers in (1, 2) if cause == "raises" else ():
        again = play(config, f"{workers}.duckdb", local=False, workers=workers, address=ray_address)
        assert (again.stop_reason, rows(again.path, failures)) == (run.stop_reason, [found])
        assert rows(again.path, "SELECT deals_done FROM line_ups") == [(deal // 64 * 64,)]
    resumed = session.resume(run.path, session.Options(local=True))
    assert (resumed.stop_reason, rows(run.path, failures)) == (run.stop_reason, [found])


def test_fold_on_the_bring_in_is_not_legal(tmp_path: Path) -> None:
    entrants = [STATION, failing(tmp_path, "not me.legal_mask & 1", "return FOLD")]
    run = play(experiment(tmp_path, entrants=entrants), "x.duckdb")
    assert (run.status, "returned 0; legal here: 1 (call), 2 (raise)" in run.stop_reason) == ("failed", True)


def test_stop_line_up_lets_the_others_finish(tmp_path: Path) -> None:
    entrants = [STATION, {"strategy": "tight"}, failing(tmp_path, RARE, "return 7")]
    keys = {"schedule": "round_robin", "deals": 20_000, "batch_groups": 1024, "chunk_groups": 64}
    run = play(experiment(tmp_path, entrants=entrants, on_error="stop_line_up", **keys), "x.duckdb")
    stopped = rows(run.path, "SELECT line_up FROM line_ups WHERE status = 'stopped'")
    assert (run.status, stopped) == ("failed", [(1,), (2,)])
    assert rows(run.path, "SELECT status, deals_done FROM line_ups WHERE line_up = 0") == [("complete", 20_000)]
    assert rows(run.path, "SELECT line_up, entrant, outcome FROM failures ORDER BY ALL") == [
        (1, 2, "error"),
        (2, 2, "error"),
    ]
    assert rows(run.path, "SELECT entrant, groups FROM standings ORDER BY entrant") == [
        ("station", 20_000),
        ("tight", 20_000),
    ]


@pytest.mark.parametrize("cause", CAUSES)
def test_fold_equals_a_strategy_that_folds_there_itself(cause: str, tmp_path: Path) -> None:
    when = "table.street == 5 and me.cards[0] < 26"
    entrants = [failing(tmp_path, when, CAUSES[cause][0], "it"), STATION]
    run = play(experiment(tmp_path, "a", entrants=entrants, on_error="fold"), "failing.duckdb")
    itself = [failing(tmp_path, when, "return FOLD if me.legal_mask & 1 else CALL", "it"), STATION]
    honest = play(experiment(tmp_path, "b", entrants=itself), "honest.duckdb")
    assert (run.status, honest.status) == ("complete", "complete")
    assert [row[1:] for row in sums(run.path)[0]] == [row[1:] for row in sums(honest.path)[0]]
    assert rows(run.path, "SELECT DISTINCT outcome, entrant FROM failures") == [("folded", 0)]
    assert rows(run.path, "SELECT sum(n) > 100 FROM failures") == [(True,)]
    assert rows(honest.path, "SELECT count(*) FROM failures") == [(0,)]


def test_a_strategy_that_never_answers_is_given_up(tmp_path: Path, ray_address: str) -> None:
    hangs = "table.street == 7 and me.cards[0] == 12 and me.cards[1] == 51 and me.cards[6] < 10"
    loop = "k = 0\n        while table.street != 0:\n            k += me.seat + 1\n        return k"
    keys = {"deals": 30_000, "batch_groups": 1024, "chunk_groups": 256}
    limits = {"chunk_s": 0.7, "attempts": 2}
    config = experiment(tmp_path, entrants=[STATION, failing(tmp_path, hangs, loop)], limits=limits, **keys)
    run = play(config, "x.duckdb", local=False, workers=2, address=ray_address)
    assert run.status == "failed"
    assert "given up after" in run.stop_reason and "timeout: not done after 0.7 s" in run.stop_reason
    given_up = rows(run.path, "SELECT first_group FROM failures WHERE outcome = 'quarantined'")
    assert given_up
    for (first,) in given_up:
        tries = rows(run.path, f"SELECT outcome, attempt FROM failures WHERE first_group = {first} ORDER BY ALL")
        assert tries == [("quarantined", 2), ("timeout", 1), ("timeout", 2)]
        assert rows(run.path, f"SELECT count(*) FROM chunks WHERE first_group = {first}") == [(0,)]


# --- the dispatcher with workers that do everything wrong, by a seeded schedule ---


class UnreliableExecutor:
    """Loses, doubles, delays and reorders what it is given; what was lost or late may still arrive."""

    n_workers = 3
    n_slots = 6

    def __init__(self, answers: dict[tuple[int, int], Played], seed: int) -> None:
        self._answers, self._random = answers, random.Random(seed)
        self._jobs: deque[Job] = deque()
        self._late: list[Outcome] = []

    def submit(self, job: Job) -> None:
        assert len(self._jobs) < self.n_slots
        self._jobs.append(job)

    def completed(self, timeout_s: float) -> list[Outcome]:
        draw = self._random
        outcomes = [late for late in self._late if draw.random() < 0.5]
        self._late = [late for late in self._late if late not in outcomes]
        for _ in range(len(self._jobs)):
            job = self._jobs.popleft()
            chance = draw.random()
            played = Outcome(job, [self._answers[chunk.line_up, chunk.first_group] for chunk in job.chunks], "w")
            if chance < 0.3:
                self._jobs.append(job)  # not yet
            elif chance < 0.45:
                blamed = draw.random() < 0.3
                outcomes.append(Outcome(job, lost=draw.choice(["timeout", "worker_lost"]), blamed=blamed))
                self._late += [played] * draw.choice([0, 0, 1])
            else:
                outcomes.append(played)
                self._late += [played] * draw.choice([0, 0, 1, 2])
        draw.shuffle(outcomes)
        return outcomes

    def close(self) -> None:
        """Nothing to give up."""


def test_the_dispatcher_counts_nothing_twice_and_never_hangs(tmp_path: Path) -> None:
    """300 schedules of losses, doubles and delays: always the undisturbed sums."""
    keys = {"schedule": "round_robin", "entrants": [STATION, {"strategy": "tight"}, {"strategy": "random"}]}
    limits = {"attempts": 100}
    config = experiment(tmp_path, deals=48, batch_groups=8, chunk_groups=4, table=TABLE, limits=limits, **keys)
    expected = sums(play(config, "expected.duckdb").path)[:2]
    plan = plan_from_file(config)
    bench = Workbench(plan)
    answers = {(chunk.line_up, chunk.first_group): bench.play(chunk) for chunk in plan.chunks()}
    connection = three_hundred_runs(tmp_path / "empty.duckdb", plan)
    for seed in range(300):
        writer = Writer(tmp_path / "nothing.duckdb", connection, str(seed))
        heard: list[Any] = []
        executor = UnreliableExecutor(answers, seed)
        ending = Dispatcher(plan, writer, executor, Metrics("x", {})).play(lambda: False, heard.append)
        assert ending.status == "complete", (seed, ending)
        assert heard[-1].hands == plan.hands
        for table, rows_of_one in zip(("group_sums", "group_cross"), expected, strict=True):
            sql = f"SELECT * FROM {table} WHERE run_id = '{seed}' ORDER BY ALL"
            assert [row[1:] for row in connection.execute(sql).fetchall()] == [row[1:] for row in rows_of_one], seed
    assert connection.execute("SELECT count(*) > 300, max(attempt) > 3 FROM chunks WHERE attempt > 1").fetchall() == [
        (True, True)
    ]


def three_hundred_runs(file: Path, plan: Plan) -> Connection:
    """A database in memory that holds 300 runs of the plan, 0 to 299, of which nothing is played."""
    Writer.create(file, *session._rows_of(plan)).close()
    connection = connect(Path(":memory:"), read_only=False)
    create_schema(connection)
    connection.execute(f"ATTACH '{file}' AS file (READ_ONLY)")
    for table in ("runs", "entrants", "line_ups"):
        copy = f"SELECT t.* REPLACE (n::VARCHAR AS run_id) FROM file.{table} t, range(300) numbers(n)"
        connection.execute(f"INSERT INTO {table} {copy}")
    return connection
