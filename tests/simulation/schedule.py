"""One schedule: runs are played through whatever its seed brings, until they are complete or cannot be."""

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from typing import cast

from razzsim.metrics import Metrics
from razzsim.plan import Chunk, LineUp, Plan, PlannedEntrant
from razzsim.runner.dispatch import Dispatcher
from razzsim.runner.executor import Failure, Task
from razzsim.runner.open_run import Ending, Progress
from razzsim.strategy.source import Source
from tests.simulation.world import (
    Counted,
    DriverDies,
    Faults,
    Key,
    ResultFile,
    SimulatedExecutor,
    SimulatedSink,
    World,
    answer,
)

_LIKELY = Faults(
    worker_dies=0.05,
    node_dies=0.02,
    node_comes=0.03,
    hangs=0.03,
    doubled=0.2,
    late=0.5,
    preempted=0.5,
    errors=0.05,
    driver_dies=0.02,
    disk_full=0.02,
    stops=0.01,
    taken_for_dead=0.02,
)
_MOST_DRIVERS = 60
_WITH_METRICS = 50
"""Every so many schedules count with the real registry."""
_SOURCE = Source("station", "")


@dataclass
class Case:
    """What a seed decides before anything is played."""

    plans: list[Plan]
    faults: Faults
    fails: dict[Key, Failure]
    poisoned: set[Key]


def plan_of(world: World, number: int) -> Plan:
    """A small plan; what is played does not matter here."""
    draw = world.draw
    n_line_ups, chunk_groups, attempts = draw.choice([1, 1, 2, 3]), draw.choice([1, 2, 3]), draw.choice([1, 2, 3, 50])
    return Plan(
        name=f"r{number}",
        config="",
        seed=number,
        game="razz",
        rules={},
        structures={"": {}},
        entrants=tuple(PlannedEntrant(name, _SOURCE, {}, 1) for name in "ab"),
        line_ups=tuple(LineUp(i, "", (0, 1), 2) for i in range(n_line_ups)),
        schedule="heads_up",
        deals=draw.randint(1, 14),
        batch_groups=6,
        chunk_groups=chunk_groups,
        on_error=draw.choice(["stop_run", "stop_line_up"]),
        limits={"attempts": attempts, "chunk_s": draw.choice([2.0, 10.0])},
        snapshot_s=draw.choice([0.5, 5.0]),
        record={"level": "sums", "sample": 1.0},
    )


def case_of(world: World) -> Case:
    """Some kinds of faults, none of the others; the first run may have failing strategies or poisoned chunks."""
    draw = world.draw
    plans = [plan_of(world, number) for number in range(draw.choice([1, 1, 2, 3]))]
    faults = Faults(**{f.name: getattr(_LIKELY, f.name) if draw.random() < 0.5 else 0.0 for f in fields(Faults)})
    if draw.random() < 0.4:  # a driver that lives to see the end
        faults = replace(faults, driver_dies=0.0, disk_full=0.0, stops=0.0, taken_for_dead=0.0)
    keys = [(chunk.line_up, chunk.first_group) for chunk in plans[0].chunks()]
    fails = {key: Failure(1, key[1], 0, 1, "returned 7", "{}") for key in keys if draw.random() < 0.1}
    poisoned = {key for key in keys if draw.random() < 0.1}
    return Case(plans, faults, fails if draw.random() < 0.2 else {}, poisoned if draw.random() < 0.2 else set())


def play(seed: int, *, trace: bool = False) -> dict[str, int]:
    """Play one schedule and check it; how often what happened. Raises AssertionError."""
    world = World(seed, trace)
    case = case_of(world)
    files = [ResultFile() for _ in case.plans]
    undead: list[Dispatcher] = []
    counts = {"drivers": 0, "complete": 0, "failed": 0, "died": 0}
    for driver in range(_MOST_DRIVERS):
        counts["drivers"] += 1
        if driver == _MOST_DRIVERS - 10:  # enough: from here on everything goes well
            case = replace(case, faults=Faults(), poisoned=set(), fails={})
        endings = drive(world, case, files, undead)
        counts["died"] += not endings
        counts["failed"] += sum(ending.status == "failed" for ending in endings)
        if endings and all(ending.status == "complete" for ending in endings):
            break
        if endings and driver > 5 and world.draw.random() < 0.3:
            case = replace(case, faults=Faults(), poisoned=set(), fails={})  # what was wrong is repaired
    for plan, file in zip(case.plans, files, strict=True):
        check_counted_once(plan, file, is_complete=True)
    counts["complete"] += len(files)
    return counts


def drive(world: World, case: Case, files: list[ResultFile], undead: list[Dispatcher]) -> list[Ending]:
    """One driver's life: how its runs ended; none when it died, or was taken for dead and goes on beside the next."""
    world.steps = 0
    executor = SimulatedExecutor(world, case.faults, case.fails, case.poisoned)
    dispatcher = Dispatcher(executor, world.clock)
    heard: list[list[Progress]] = [[] for _ in files]
    told: list[Metrics | Counted] = []
    try:
        runs = []
        for plan, file, progress in zip(case.plans, files, heard, strict=True):
            told.append(Metrics(plan.run_id, {}) if world.seed % _WITH_METRICS == 0 else Counted())
            sink = SimulatedSink(file, world, case.faults)
            runs.append(dispatcher.add(plan, Task(), sink, cast(Metrics, told[-1]), progress.append))
        while dispatcher.is_busy:
            if world.happens(case.faults.stops):
                dispatcher.stop()
            if world.happens(case.faults.taken_for_dead):
                undead.append(dispatcher)
                return []
            for other in undead:
                go_on(world, other)
            dispatcher.step()
    except DriverDies:
        for plan, file in zip(case.plans, files, strict=True):
            check_counted_once(plan, file, is_complete=False)
        return []
    endings = [dispatcher.endings[run.run] for run in runs]
    for number, ending in enumerate(endings):
        world.say("run", number, "ended:", ending.status, ending.reason)
        check_ending(case, number, files[number], ending, heard[number])
        given_up = {key[:2] for key in files[number].noted("quarantined") if key[3] == files[number].attempt}
        assert {(number, key) for key in given_up} <= executor.lost_alone, "one of many may be innocent"
        if ending.error is None:
            check_counters(told[number], files[number], case.plans[number])
    return endings


def go_on(world: World, undead: Dispatcher) -> None:
    """A driver that was taken for dead does its next step, now and then; its files belong to another one."""
    if undead.is_busy and world.happens(0.5):
        before = dict(undead.endings)
        with suppress(DriverDies):
            undead.step()
        for run, ending in undead.endings.items():
            assert run in before or ending.error, "it ended without seeing that its file was taken over"


def check_counted_once(plan: Plan, file: ResultFile, *, is_complete: bool) -> None:
    """Every committed chunk is one of the plan's, with its own sums; when complete, all are there."""
    expected = {(chunk.line_up, chunk.first_group): answer(chunk) for chunk in plan.chunks()}
    assert file.chunks.keys() <= expected.keys(), "a chunk that the plan does not have"
    assert all((sums == expected[key]).all() for key, sums in file.chunks.items()), "other sums"
    assert not is_complete or file.chunks.keys() == expected.keys(), "chunks are missing"


def check_ending(case: Case, number: int, file: ResultFile, ending: Ending, heard: list[Progress]) -> None:
    """What is said is so."""
    plan = case.plans[number]
    check_counted_once(plan, file, is_complete=ending.status == "complete")
    hands = [progress.hands for progress in heard]
    assert hands == sorted(hands), "progress goes back"
    if ending.error is None:
        assert hands[-1] == sum(2 * chunk.n_groups for chunk in committed(plan, file)), "progress tells of other hands"
    assert ending.reason != "chunks are missing"
    if ending.reason.startswith("strategy"):
        assert number == 0 and case.fails
        first = min(case.fails, key=lambda key: (key[1], key[0]))
        before = {(chunk.line_up, chunk.first_group) for chunk in plan.chunks() if before_in_plan(chunk, first)}
        assert f"deal {first[1]}," in ending.reason, "not the first failure of the plan"
        assert before <= file.chunks.keys(), "it names a failure, and what comes before was not played"
    if "given up" in ending.reason:
        assert file.noted("quarantined"), "given up, and not noted"
    if ending.status == "failed" and ending.error is None:
        assert (
            ending.reason.startswith("strategy") or "given up" in ending.reason or "failing strategies" in ending.reason
        )


def before_in_plan(chunk: Chunk, key: Key) -> bool:
    """Whether a chunk comes before the one of this key: line-ups in turn."""
    return (chunk.first_group, chunk.line_up) < (key[1], key[0])


def committed(plan: Plan, file: ResultFile) -> list[Chunk]:
    """Chunks that are in the file."""
    return [chunk for chunk in plan.chunks() if (chunk.line_up, chunk.first_group) in file.chunks]


def check_counters(metrics: Metrics | Counted, file: ResultFile, plan: Plan) -> None:
    """The counters equal the file."""
    noted = Counter(file.failures.values())
    expected = {"committed": len(file.chunks), **noted}
    hands = sum(2 * chunk.n_groups for chunk in committed(plan, file))
    if isinstance(metrics, Counted):
        assert (metrics.hands, {name: n for name, n in metrics.chunks.items() if n}) == (hands, +Counter(expected))
        return
    value, run = metrics.registry.get_sample_value, {"run": plan.run_id}
    assert value("razzsim_hands_total", run) == hands
    for outcome in ("committed", "error", "timeout", "worker_lost", "quarantined"):
        assert value("razzsim_chunks_total", {**run, "outcome": outcome}) == expected.get(outcome, 0), outcome
