"""A node of a cluster that does not see the folder of a run's rows is told from one that does.

A real node whose view of the file system is its own: another, empty one is mounted over the folder.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from razzsim.runner import session
from razzsim.runner.executor import ExecutorError
from razzsim.runner.session import Options
from tests.runner.helpers import experiment, ray_cluster, rows
from tests.runner.test_interrupts import wait_for

FAR = 'hostname far && mount -t tmpfs none "$1" && exec "$2" start --address "$3" --num-cpus 2 --block'


@pytest.fixture
def far_node(tmp_path: Path) -> Iterator[str]:
    """The address of a cluster of two nodes, one of which sees nothing of tmp_path."""
    import ray

    with ray_cluster() as address:
        program = Path(sys.executable).with_name("ray")
        words = ["unshare", "--mount", "--uts", "sh", "-c", FAR, "sh", tmp_path, program, address]
        node = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            ray.init(address=address, log_to_driver=False)
            wait_for(lambda: ray.cluster_resources().get("CPU") == 4, "the far node")
            ray.shutdown()
            yield address
        finally:
            ray.shutdown()
            node.terminate()
            node.wait(60)


@pytest.mark.slow
def test_a_node_that_does_not_see_the_folder_is_named(far_node: str, tmp_path: Path) -> None:
    config, out = experiment(tmp_path, record="groups", deals=4096, chunk_groups=8), tmp_path / "x.duckdb"
    said = rf"^node far: does not see {tmp_path}/x\.parts, where the rows go: it needs the same shared folder, or s3://"
    with pytest.raises(ExecutorError, match=said):
        session.run(config, out, Options(workers=4, address=far_node))
    assert rows(out, "SELECT status FROM runs") == [("failed",)]
    assert session.run(experiment(tmp_path, "y"), tmp_path / "y.duckdb", Options(address=far_node)).status == "complete"


@pytest.mark.slow
def test_nodes_that_see_it_leave_no_token(ray_address: str, tmp_path: Path) -> None:
    run = session.run(experiment(tmp_path, record="groups"), tmp_path / "x.duckdb", Options(address=ray_address))
    assert run.status == "complete"
    listed = {Path(path).name for (path,) in rows(run.path, "SELECT path FROM parts")}
    assert {file.name for file in (tmp_path / "x.parts").iterdir()} == listed
