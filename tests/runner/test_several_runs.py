"""Several runs at once on the workers of one Ray: each comes out as it does alone."""

from contextlib import closing
from pathlib import Path

import pytest

from razzsim.metrics import Metrics
from razzsim.plan import plan_from_file
from razzsim.runner.cluster import ClusterExecutor
from razzsim.runner.dispatch import Dispatcher
from razzsim.runner.executor import Task
from razzsim.runner.ray_node import RayNode
from razzsim.runner.rows import rows_of
from razzsim.store import Writer
from tests.runner.helpers import experiment, play, rows, sums

COMMITTED = "SELECT min(committed_at), max(committed_at) FROM chunks"


@pytest.mark.slow
def test_two_runs_share_two_workers(tmp_path: Path, ray_address: str) -> None:
    """Chunks of both are committed in turn, and both end with the numbers of runs of their own."""
    keys = {"deals": 8_000, "batch_groups": 512, "chunk_groups": 64}
    configs = [experiment(tmp_path, f"run-{seed}", **keys, seed=seed) for seed in (1, 2)]
    plans = [plan_from_file(config) for config in configs]
    paths = [tmp_path / f"{plan.name}.duckdb" for plan in plans]
    writers = []
    with closing(RayNode(2, ray_address)) as node:
        node.wait()
        with closing(ClusterExecutor(2)) as executor:
            dispatcher = Dispatcher(executor)
            for plan, path in zip(plans, paths, strict=True):
                writer = Writer.create(path, *rows_of(plan))
                dispatcher.add(plan, Task(), writer, Metrics(plan.run_id, {}))
                writers.append(writer)
            dispatcher.play(lambda: False)
    for ending, writer in zip(dispatcher.endings.values(), writers, strict=True):
        assert ending.status == "complete"
        writer.finish(ending.status, ending.reason, 0.0)
        writer.close()
    (begin, end), (other_begin, other_end) = (rows(path, COMMITTED)[0] for path in paths)
    assert max(begin, other_begin) < min(end, other_end), "they were played one after the other"
    for config, path in zip(configs, paths, strict=True):
        assert sums(path) == sums(play(config, f"alone-{path.name}").path)
