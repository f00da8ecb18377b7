"""Proves what docs/security.md says: what listens, with which token, and how files are read."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from razzsim.runner.environment import environment

ROOT = Path(__file__).parents[2]


def listening() -> Iterator[tuple[str, str]]:
    """The address and the name of whatever listens, of this process and those below it."""
    this = psutil.Process()
    for process in [this, *this.children(recursive=True)]:
        for connection in process.net_connections(kind="inet"):
            if connection.status == psutil.CONN_LISTEN:
                yield connection.laddr.ip.removeprefix("::ffff:"), process.name()


def strangers() -> set[str]:
    """Addresses of other machines that this process, or one below it, is connected to."""
    this = psutil.Process()
    processes = [this, *this.children(recursive=True)]
    others = {c.raddr.ip for process in processes for c in process.net_connections(kind="inet") if c.raddr}
    return {ip.removeprefix("::ffff:") for ip in others} - {"127.0.0.1"}


ASK = "import sys, ray; print(len(ray._raylet.GcsClient(sys.argv[1]).get_all_node_info(timeout=60)))"


def asked_with(token: str, address: str) -> "subprocess.CompletedProcess[str]":
    """What another process with that token hears of the Ray there."""
    words = [sys.executable, "-c", ASK, address]
    environment = {**os.environ, "RAY_AUTH_TOKEN": token}
    return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=180, check=False)


@pytest.mark.slow
def test_a_private_ray_listens_on_this_machine_alone_and_to_who_knows_its_token():
    import ray

    from razzsim.runner.ray_node import RayNode

    with environment(RAY_AUTH_MODE=None, RAY_AUTH_TOKEN="of the operator's cluster"):
        with closing(RayNode(1)) as node:
            node.wait()
            worker = ray.remote(lambda: os.environ["RAY_AUTH_TOKEN"]).options(num_cpus=1)
            own = ray.get(worker.remote())
            found, others = dict(listening()), strangers()
            assert own == os.environ["RAY_AUTH_TOKEN"] != "of the operator's cluster"
            assert os.environ["RAY_AUTH_MODE"] == "token"
            address = ray.get_runtime_context().gcs_address
            knows, guesses = (asked_with(token, address) for token in (own, "0" * 64))
        assert os.environ["RAY_AUTH_TOKEN"] == "of the operator's cluster"
        assert "RAY_AUTH_MODE" not in os.environ
    assert set(found) == {"127.0.0.1"}, found
    assert not others
    assert len(own) == 64
    assert (knows.returncode, knows.stdout) == (0, "1\n"), knows.stderr
    assert (guesses.returncode, guesses.stdout) == (1, ""), guesses.stderr
    assert "InvalidAuthToken" in guesses.stderr or "Unauthenticated" in guesses.stderr.title(), guesses.stderr


def calls(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func)
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (f"import {name.name}" for name in node.names)
            yield f"import {getattr(node, 'module', None)}"


def test_nothing_of_a_users_is_unpickled_and_yaml_is_read_by_a_safe_loader():
    unsafe = {"pickle", "cloudpickle", "dill", "marshal", "shelve", "joblib"}
    for file in sorted((ROOT / "razzsim").rglob("*.py")):
        found = set(calls(ast.parse(file.read_text())))
        assert not found & {f"import {name}" for name in unsafe}, file
        assert not found & {"yaml.load", "yaml.unsafe_load", "yaml.full_load", "np.load", "eval"}, file
    import yaml

    from razzsim.document import _Loader

    assert issubclass(_Loader, yaml.SafeLoader)


def test_a_yaml_tag_makes_nothing(tmp_path):
    from razzsim.plan import ConfigError, plan_from_file

    made = tmp_path / "made"
    config = tmp_path / "x.yaml"
    config.write_text(f"seed: !!python/object/apply:os.mkdir ['{made}']\n")
    with pytest.raises(ConfigError, match=r"a tag \(!\) is not allowed"):
        plan_from_file(config)
    assert not made.exists()
