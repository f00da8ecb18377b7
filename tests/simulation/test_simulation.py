"""A short run of the simulation; the long one is `python -m tests.simulation`."""

from dataclasses import replace
from typing import cast

import pytest

from razzsim.metrics import Metrics
from razzsim.runner.dispatch import Dispatcher
from razzsim.runner.executor import Task
from tests.simulation.schedule import plan_of, play
from tests.simulation.world import Counted, Faults, ResultFile, SimulatedExecutor, SimulatedSink, World


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
