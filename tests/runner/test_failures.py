"""Strategies that raise, answer illegally or never, and workers that get lost: named, counted, and never a hang.

A failure is the same one for any number of workers: the first in the order of the plan. Authority: on_error and
limits of the experiment (stop_run, stop_line_up, fold), faults G1 and G5; strategies' answers are never repaired
silently.
"""

import json
import random
from collections import defaultdict, deque
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

from razzsim.metrics import Metrics
from razzsim.plan import Plan, plan_from_file
from razzsim.runner import session
from razzsim.runner.dispatch import Dispatcher
from razzsim.runner.executor import Crew, Job, Outcome, Task
from razzsim.runner.jobs import Failure, Played, Workbench
from razzsim.runner.open_run import Ending
from razzsim.store import Writer
from razzsim.store.database import Connection
from razzsim.sums import unpack
from tests.runner.helpers import TABLE, experiment, failing, play, rows, sums, unplayed_runs
from tests.test_metrics import Scraper, check_counters

RARE = "table.street == 7 and me.cards[0] == 12 and me.cards[6] == 51"  # about one hand in 2,652 that gets so far
STATION = {"strategy": "station"}
CAUSES = {
    "raises": ("raise ValueError(table.street)", "raised ValueError"),
    "outside": ("return me.cards[table.n_seats + 710]", "raised IndexError"),  # 712: a card of the next seat
    "seven": ("return 7", "returned 7 (no action); legal here: "),
    "minus": ("return -4", "returned -4 (no action); legal here: "),
}


FAILURES = "SELECT line_up, outcome, entrant, deal, rotation, seat, message FROM failures"


def rarely_failing(folder: Path, cause: str) -> Path:
    """An experiment that stops at its first failure."""
    entrants = [STATION, failing(folder, RARE, CAUSES[cause][0])]
    return experiment(folder, deals=40_000, entrants=entrants, batch_groups=1024, chunk_groups=64)


@pytest.mark.parametrize("cause", CAUSES)
def test_stop_run_names_the_first_failure(cause: str, tmp_path: Path) -> None:
    _, message = CAUSES[cause]
    run = play(rarely_failing(tmp_path, cause), "local.duckdb")
    assert run.status == "failed"
    (found,) = rows(run.path, FAILURES)
    _, outcome, entrant, deal, rotation, seat, said = found
    assert (outcome, entrant, said[: len(message)]) == ("error", 1, message)
    assert run.stop_reason == f"strategy failing, deal {deal}, rotation {rotation}, seat {seat}: {said}"
    assert rows(run.path, "SELECT deals_done FROM line_ups") == [(deal // 64 * 64,)]
    view = json.loads(rows(run.path, "SELECT view FROM failures")[0][0])
    assert (view["me"]["cards"][0], view["me"]["cards"][6], view["me"]["seat"]) == (12, 51, seat)
    resumed = session.resume(run.path, session.Options(local=True))
    assert (resumed.stop_reason, rows(run.path, FAILURES)) == (run.stop_reason, [found, found])
    assert rows(run.path, "SELECT run_attempt, attempt FROM failures ORDER BY ALL") == [(1, 1), (2, 1)]


@pytest.mark.slow
def test_the_first_failure_is_the_same_whatever_the_workers(tmp_path: Path, ray_address: str) -> None:
    config = rarely_failing(tmp_path, "raises")
    run = play(config, "local.duckdb")
    by_ray = play(config, "ray.duckdb", local=False, workers=2, address=ray_address)
    assert (by_ray.stop_reason, rows(by_ray.path, FAILURES)) == (run.stop_reason, rows(run.path, FAILURES))
    done = "SELECT deals_done FROM line_ups"
    assert rows(by_ray.path, done) == rows(run.path, done)


MANY_FAIL = {  # when they fail: on other deals each, and under one structure or both
    "by-card": "table.street == 7 and me.cards[0] == 12 and me.cards[6] > 46",
    "by-ante": "table.ante_chips == 4 and table.street == 6 and me.cards[1] == 7 and me.cards[5] > 48",
    "by-seat": "table.street == 5 and me.seat == 1 and me.cards[0] == 20 and me.cards[4] == 21",
}


SLOWLY = """if me.cards[0] == {} and me.cards[1] == {} and me.cards[2] == {}:
            k = me.seat
            for _ in range(500_000_000):
                k = k * 6364136223846793005 + 1442695040888963407
            return 7 + (k == 17)
        return 7"""


@pytest.mark.slow
def test_of_many_failures_it_names_the_first_of_the_plan(tmp_path: Path, ray_address: str) -> None:
    """Six pairs under two structures; the first failure takes a second, while others run into later ones."""
    entrants = [STATION, *(failing(tmp_path, when, "return 7", name) for name, when in MANY_FAIL.items())]
    structures = {"low": TABLE, "high": {**TABLE, "ante": 4}}
    keys = {"schedule": "round_robin", "table": None, "structures": structures, "deals": 8_000, "entrants": entrants}
    config = experiment(tmp_path, batch_groups=1024, chunk_groups=16, **keys)
    plan = plan_from_file(config)
    bench = Workbench(plan)
    failures = [(p.chunk, p.failure) for chunk in plan.chunks() if (p := bench.play(chunk)).failure]
    chunk, first = failures[0]
    assert first is not None
    later = {c.line_up for c, _ in failures if 200 < c.first_group - chunk.first_group < 1500}
    assert {plan.line_ups[line_up].structure for line_up in later} == {"low", "high"}
    assert {failure.entrant for _, failure in failures if failure} == {1, 2, 3}
    name, cards = plan.entrants[first.entrant].name, json.loads(first.view)["me"]["cards"]
    failing(tmp_path, MANY_FAIL[name], SLOWLY.format(*cards), name)
    reason = f"strategy {name}, deal {first.deal}, rotation {first.rotation}, seat {first.seat}: returned 7"
    columns = "line_up, first_group, attempt, outcome, entrant, deal, rotation, seat, n"
    expected = (chunk.line_up, chunk.first_group, 1, "error", first.entrant, first.deal, first.rotation, first.seat, 1)
    before = {(c.line_up, c.first_group) for c in takewhile(lambda c: c != chunk, plan.chunks())}
    for workers in (0, 1, 2):
        options = {"local": False, "workers": workers, "address": ray_address} if workers else {}
        run = play(config, f"{workers}.duckdb", **options)
        assert run.stop_reason[: len(reason)] == reason, workers
        assert run.status == "failed"
        assert rows(run.path, f"SELECT {columns} FROM failures") == [expected]
        assert set(rows(run.path, "SELECT line_up, first_group FROM chunks")) >= before


def test_fold_on_the_bring_in_is_not_legal(tmp_path: Path) -> None:
    entrants = [STATION, failing(tmp_path, "not me.legal_mask & 1", "return FOLD")]
    run = play(experiment(tmp_path, entrants=entrants), "x.duckdb")
    assert (run.status, "returned 0 (fold); legal here: 1 (call), 2 (raise)" in run.stop_reason) == ("failed", True)


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


@pytest.mark.slow
def test_a_strategy_that_never_answers_is_given_up(tmp_path: Path, ray_address: str) -> None:
    """Every failed try is noted, and counted as the file has it."""
    hangs = "table.street == 7 and me.cards[0] == 12 and me.cards[1] == 51 and me.cards[6] < 10"
    loop = "k = 0\n        while table.street != 0:\n            k += me.seat + 1\n        return k"
    keys = {"deals": 30_000, "batch_groups": 1024, "chunk_groups": 256}
    limits = {"chunk_s": 0.7, "attempts": 2}
    config = experiment(tmp_path, entrants=[STATION, failing(tmp_path, hangs, loop)], limits=limits, **keys)
    scraper = Scraper()
    options = session.Options(workers=2, address=ray_address, metrics_port=0)
    run = session.run(config, tmp_path / "x.duckdb", options, scraper.watch)
    assert run.status == "failed"
    assert {"timeout", "quarantined"} <= check_counters(scraper, run.path).keys()
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
    crew = Crew(idle=3)

    def __init__(
        self, answers: dict[tuple[int, int], Played], seed: int, poisoned: tuple[int, int] | None = None
    ) -> None:
        """poisoned: the chunk that no worker survives."""
        self._answers, self._random, self._poisoned = answers, random.Random(seed), poisoned
        self._asked = 0
        self._jobs: deque[Job] = deque()
        self._late: list[Outcome] = []

    def add(self, plan: Plan, task: Task) -> int:
        return 0

    def drop(self, run: int) -> None:
        """Nothing to forget."""

    def submit(self, job: Job) -> None:
        assert len(self._jobs) < self.n_slots
        self._jobs.append(job)

    def completed(self, timeout_s: float) -> list[Outcome]:
        self._asked += 1
        assert self._asked < 10_000, "it hangs"
        draw = self._random
        outcomes = [late for late in self._late if draw.random() < 0.5]
        self._late = [late for late in self._late if late not in outcomes]
        for _ in range(len(self._jobs)):
            job = self._jobs.popleft()
            chance = draw.random()
            if self._poisoned in {(chunk.line_up, chunk.first_group) for chunk in job.chunks}:
                if chance < 0.3:
                    self._jobs.append(job)
                else:
                    outcomes.append(Outcome(job, lost="worker_lost", message="poisoned", blamed=chance < 0.8))
                continue
            played = Outcome(job, [self._answers[chunk.line_up, chunk.first_group] for chunk in job.chunks], "w")
            if chance < 0.3:
                self._jobs.append(job)  # not yet
            elif chance < 0.45:
                blamed = draw.random() < 0.3 and (self._poisoned is None or job.attempt == 1)
                outcomes.append(Outcome(job, lost=draw.choice(["timeout", "worker_lost"]), blamed=blamed))
                self._late += [played] * draw.choice([0, 0, 1])
            else:
                outcomes.append(played)
                self._late += [played] * draw.choice([0, 0, 1, 2])
        draw.shuffle(outcomes)
        return outcomes

    def close(self) -> None:
        """Nothing to give up."""


def dispatched(plan: Plan, writer: Writer, executor: UnreliableExecutor, heard: Any = lambda progress: None) -> Ending:
    """How a run ends that has the executor to itself."""
    dispatcher = Dispatcher(executor)
    run = dispatcher.add(plan, Task(), writer, Metrics("x", {}), heard)
    dispatcher.play(lambda: False)
    return dispatcher.endings[run.run]


@pytest.mark.slow
def test_the_dispatcher_counts_nothing_twice_and_never_hangs(tmp_path: Path) -> None:
    """40 schedules of losses, doubles and delays: always the undisturbed sums. In tests/simulation there are more."""
    keys = {"schedule": "round_robin", "entrants": [STATION, {"strategy": "tight"}, {"strategy": "random"}]}
    limits = {"attempts": 100}
    config = experiment(tmp_path, deals=48, batch_groups=8, chunk_groups=4, table=TABLE, limits=limits, **keys)
    expected = sums(play(config, "expected.duckdb").path)[:2]
    plan = plan_from_file(config)
    bench = Workbench(plan)
    answers = {(chunk.line_up, chunk.first_group): bench.play(chunk) for chunk in plan.chunks()}
    connection = unplayed_runs(tmp_path / "empty.duckdb", plan, 40)
    for seed in range(40):
        writer = Writer(tmp_path / "nothing.duckdb", connection, str(seed))
        heard: list[Any] = []
        executor = UnreliableExecutor(answers, seed)
        ending = dispatched(plan, writer, executor, heard.append)
        assert ending.status == "complete", (seed, ending)
        assert heard[-1].hands == plan.hands
        for table, rows_of_one in zip(("group_sums", "group_cross"), expected, strict=True):
            sql = f"SELECT * FROM {table} WHERE run_id = '{seed}' ORDER BY ALL"
            assert [row[1:] for row in connection.execute(sql).fetchall()] == [row[1:] for row in rows_of_one], seed
    assert connection.execute("SELECT count(*) > 40, max(attempt) > 3 FROM chunks WHERE attempt > 1").fetchall() == [
        (True, True)
    ]


POISONED = {"before it fails": (1, 4), "after it failed": (2, 24), "where nobody fails": (0, 24)}
FAILS = {1: 12, 2: 12}
"""By line-up: the chunk that the failing strategy does not finish."""


@pytest.mark.slow
@pytest.mark.parametrize("on_error", ["stop_run", "stop_line_up"])
@pytest.mark.parametrize("poisoned", POISONED)
def test_a_poisoned_chunk_and_a_failing_strategy_end_the_run(poisoned: str, on_error: str, tmp_path: Path) -> None:
    """20 schedules: given up after three tries, or the first failure of the plan; committed once, noted once."""
    strategies = [STATION, {"strategy": "tight"}, {"strategy": "random"}]
    keys = {"schedule": "round_robin", "entrants": strategies, "limits": {"attempts": 3}, "on_error": on_error}
    plan = plan_from_file(experiment(tmp_path, deals=48, batch_groups=8, chunk_groups=4, **keys))
    bench, poison = Workbench(plan), POISONED[poisoned]
    answers = {(chunk.line_up, chunk.first_group): bench.play(chunk) for chunk in plan.chunks()}
    for key in FAILS.items():
        failure = Failure(2, sum(key), 0, 1, "returned 7", "{}")
        answers[key] = Played(answers[key].chunk, None, failure)
    connection = unplayed_runs(tmp_path / "empty.duckdb", plan, 20)
    given_up = f"line-up {poison[0]}, deals from {poison[1]}: given up after 3 tries: worker_lost: poisoned"
    otherwise = "2 line-ups were stopped by failing strategies"
    if on_error == "stop_run":
        otherwise = "strategy random, deal 13, rotation 0, seat 1: returned 7"
    ends = set()
    for seed in range(20):
        writer = Writer(tmp_path / "nothing.duckdb", connection, str(seed))
        executor = UnreliableExecutor(answers, seed, poison)
        ending = dispatched(plan, writer, executor)
        committed = check_counted_once(connection, seed, answers)
        assert poison not in committed
        assert not committed & set(FAILS.items())
        tries = defaultdict(list)
        for line_up, first, outcome, attempt in connection.execute(
            f"SELECT line_up, first_group, outcome, attempt FROM failures WHERE run_id = '{seed}' ORDER BY ALL"
        ).fetchall():
            tries[line_up, first].append((outcome, attempt))
        lost = [attempt for outcome, attempt in tries[poison] if outcome == "worker_lost"]
        assert lost == list(range(1, len(lost) + 1))
        is_given_up = ("quarantined", 3) in tries[poison]
        assert (ending.status, len(lost) <= 3, len(lost) == 3 or not is_given_up) == ("failed", True, True)
        assert ending.reason == (given_up if is_given_up else otherwise), seed
        noted = {key for key, of_chunk in tries.items() if ("error", 1) in of_chunk or ("error", 2) in of_chunk}
        assert noted <= set(FAILS.items())
        if not is_given_up:
            assert noted == ({(1, 12)} if on_error == "stop_run" else set(FAILS.items()))
        ends.add(is_given_up)
    assert ends == {
        ("before it fails", "stop_run"): {True},
        ("before it fails", "stop_line_up"): {True},
        ("where nobody fails", "stop_line_up"): {True},
    }.get((poisoned, on_error), ends)


def check_counted_once(
    connection: Connection, seed: int, answers: dict[tuple[int, int], Played]
) -> set[tuple[int, int]]:
    """Sums are those of the committed chunks, each once; returns which these are."""
    keys = connection.execute(f"SELECT line_up, first_group FROM chunks WHERE run_id = '{seed}'").fetchall()
    expected: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0])
    for line_up, first in keys:
        packed = answers[line_up, first].sums
        assert packed is not None
        for place, (hands, _, net, *_) in enumerate(unpack(packed)["entrants"].tolist()):
            found = expected[line_up, PAIRS[line_up][place]]
            found[:] = found[0] + hands, found[1] + net
    sql = f"SELECT line_up, entrant, sum(n_hands), sum(net_chips) FROM group_sums WHERE run_id = '{seed}' GROUP BY ALL"
    assert {(a, b): [hands, net] for a, b, hands, net in connection.execute(sql).fetchall()} == expected
    assert len(keys) == len(set(keys))
    return set(keys)


PAIRS = ((0, 1), (0, 2), (1, 2))
"""Entrants of every line-up of a round robin of three."""
