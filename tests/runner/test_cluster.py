"""How workers follow a cluster's CPUs: those without one wait, hold nothing, and show what is wanted."""

from collections.abc import Callable
from contextlib import closing

import pytest

from razzsim.runner import cluster
from razzsim.runner.cluster import ClusterExecutor
from razzsim.runner.executor import ExecutorError
from razzsim.runner.ray_node import RayNode


def turns(executor: ClusterExecutor, is_there: Callable[[], bool], n: int = 300) -> bool:
    """Whether it comes about within so many turns of a tenth of a second."""
    return any(is_there() or bool(executor.completed(0.1)) for _ in range(n))


@pytest.mark.slow
def test_workers_without_a_cpu_wait_and_a_run_without_workers_ends(
    ray_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two CPUs: the third worker waits, as a demand that an autoscaler sees; who gets none at all gives up."""
    with closing(RayNode(None, ray_address)) as node:
        node.wait()
        with closing(ClusterExecutor(3)) as executor:
            assert turns(executor, lambda: executor.n_workers == 2)
            assert not turns(executor, lambda: executor.n_workers > 2, 20)
            assert (executor.n_slots, len(executor._actors)) == (4, 3)
            monkeypatch.setattr(executor, "_wanted", 2)  # as a cluster that has become smaller
            assert turns(executor, lambda: len(executor._actors) == 2)
            assert executor.n_workers == 2, "the one that waited went"
            monkeypatch.setattr(cluster, "_NOBODY_S", 1.0)
            with closing(ClusterExecutor(1)) as late, pytest.raises(ExecutorError, match="no worker has started in"):
                turns(late, lambda: False)
