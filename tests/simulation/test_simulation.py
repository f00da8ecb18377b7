"""A short run of the simulation; the long one is `python -m tests.simulation`."""

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import pytest

from razzsim.metrics import Metrics
from razzsim.plan import Chunk, Plan
from razzsim.runner.dispatch import Dispatcher
from razzsim.runner.executor import Crew, Job, Outcome, Played, Task
from razzsim.store import CommittedChunk
from razzsim.sums import HEADER
from tests.simulation import __main__ as simulation
from tests.simulation.schedule import plan_of, play
from tests.simulation.world import Counted, Faults, ResultFile, SimulatedExecutor, SimulatedSink, World, answer


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_runs_come_out_the_same_whatever_fails(first: int) -> None:
    for seed in range(first, first + 100):
        play(seed)


def test_runs_share_the_workers_evenly_and_a_late_one_claims_nothing_back() -> None:
    """Three runs, the third one added when the others have had a while; shares differ by what is in flight."""
    world = World(seed=1)
    executor = SimulatedExecutor(world, Faults(), {}, set())
    dispatcher = Dispatcher(executor, world.clock)
    served: dict[int, int] = {}
    executor.on_submit = lambda job: served.update({job.run: served.get(job.run, 0) + len(job.chunks)})

    def add() -> None:
        plan = replace(plan_of(world, 0), deals=20_000, chunk_groups=3)
        sink, counted = SimulatedSink(ResultFile(), world, Faults()), cast(Metrics, Counted())
        dispatcher.add(plan, Task(), sink, counted)

    add()
    add()
    for _ in range(300):
        dispatcher.step()
    assert abs(served[0] - served[1]) <= 2
    add()
    before = dict(served)
    for _ in range(300):
        dispatcher.step()
    shares = [served[run] - before.get(run, 0) for run in range(3)]
    assert max(shares) - min(shares) <= 4
    assert min(shares) > 50


class Crowd:
    """A thousand workers of two places each, that answer as fast as they are asked: 128 calls a turn."""

    n_workers, n_slots, crew = 1000, 2000, Crew(busy=1000)

    def __init__(self) -> None:
        self.calls: deque[Job] = deque()
        self.sizes: list[int] = []

    def add(self, plan: Plan, task: Task) -> int:
        return 0

    def submit(self, job: Job) -> None:
        self.calls.append(job)
        self.sizes.append(len(job.chunks))

    def completed(self, timeout_s: float) -> list[Outcome]:
        jobs = [self.calls.popleft() for _ in range(min(128, len(self.calls)))]
        return [Outcome(job, [Played(chunk, answer(chunk)) for chunk in job.chunks], "w") for job in jobs]

    def drop(self, run: int) -> None: ...

    def close(self) -> None: ...


def test_of_a_thousand_workers_little_waits_to_be_committed() -> None:
    """Commits take a millisecond a chunk, and the next one waits ten times as long: unlimited, that runs away."""
    world, held = World(seed=1), []

    class SlowSink(SimulatedSink):
        def commit(self, chunks: Sequence[CommittedChunk]) -> list[CommittedChunk]:
            held.append(len(chunks))
            world.now += 0.001 * len(chunks)
            return super().commit(chunks)

    crowd = Crowd()
    dispatcher = Dispatcher(crowd, world.clock)
    limits = {"attempts": 3, "chunk_s": 60.0}
    plan = replace(plan_of(world, 0), deals=200_000, chunk_groups=10, batch_groups=200_000, limits=limits)  # 1 s each
    dispatcher.add(plan, Task(), SlowSink(ResultFile(), world, Faults()), cast(Metrics, Counted()))
    while dispatcher.is_busy:
        dispatcher.step()
        world.now += 0.01
    assert dispatcher.endings[0].status == "complete"
    assert sum(held) == 20_000 * len(plan.line_ups)
    assert max(held) < 1024 + 128 * 2
    assert crowd.sizes[:2000] == [1] * 2000, "nobody knows yet how long a chunk takes"
    assert max(crowd.sizes) == 2, "500 answers a second, not a thousand"


@pytest.mark.parametrize(("chunk_s", "most"), [(0.001, 64), (0.02, 25), (0.1, 5), (0.6, 1), (30.0, 1)])
def test_a_call_carries_half_a_second_of_chunks_and_near_the_end_everybody_gets_a_share(
    chunk_s: float, most: int
) -> None:
    class Few(Crowd):
        n_workers, n_slots = 2, 4

        def completed(self, timeout_s: float) -> list[Outcome]:
            outcomes = super().completed(timeout_s)
            return [replace(outcome, played=list(map(taking, outcome.played))) for outcome in outcomes]

    def taking(played: Played) -> Played:
        packed = answer(played.chunk).copy()
        packed[HEADER.index("chunk_ns")] = int(chunk_s * 1e9)
        return replace(played, sums=packed)

    world, few = World(seed=1), Few()
    dispatcher = Dispatcher(few, world.clock)
    limits = {"attempts": 3, "chunk_s": 120.0}
    plan = replace(plan_of(world, 0), deals=10_000, chunk_groups=7, batch_groups=10_000, limits=limits)
    dispatcher.add(plan, Task(), SimulatedSink(ResultFile(), world, Faults()), cast(Metrics, Counted()))
    while dispatcher.is_busy:
        dispatcher.step()
        world.now += 0.25
    assert max(few.sizes) == most
    left = sum(few.sizes)
    for size in few.sizes:
        assert size <= -(-left // few.n_slots), "the last chunks are everybody's"
        left -= size


def test_a_seed_can_be_played_again_and_one_that_fails_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first, again = [(play(7, trace=True), capsys.readouterr().out) for _ in range(2)]
    assert first == again
    assert len(first[1].splitlines()) > 10

    def fails(seed: int) -> dict[str, int]:
        assert seed != 12
        return {"drivers": 1}

    monkeypatch.setattr(simulation, "play", fails)
    counts, seed, words = simulation.portion(10, 5)
    assert (counts["drivers"], seed) == (2, 12)
    assert "AssertionError" in words


@pytest.mark.parametrize("hangs", [0.0, 1.0])
def test_what_is_in_flight_is_waited_for_when_a_run_is_stopped(hangs: float) -> None:
    """For up to five seconds: a worker that hangs does not keep it."""
    world, file = World(seed=3), ResultFile()
    executor = SimulatedExecutor(world, Faults(hangs=hangs), {}, set())
    sent: list[Chunk] = []
    executor.on_submit = lambda job: sent.extend(job.chunks)
    dispatcher = Dispatcher(executor, world.clock)
    plan = replace(plan_of(world, 0), deals=20_000, chunk_groups=3, limits={"attempts": 3, "chunk_s": 1000.0})
    dispatcher.add(plan, Task(), SimulatedSink(file, world, Faults()), cast(Metrics, Counted()))
    while not sent:
        dispatcher.step()
    dispatcher.stop()
    stopped, n_sent = world.now, len(sent)
    while dispatcher.is_busy:
        dispatcher.step()
    assert dispatcher.endings[0].status == "stopped"
    assert len(sent) == n_sent, "nothing new is handed out"
    if hangs:
        assert len(file.chunks) < n_sent
        assert 5 <= world.now - stopped < 7
    else:
        assert set(file.chunks) == {(chunk.line_up, chunk.first_group) for chunk in sent}
