"""Installs that may only be read, and caches that are empty: a temporary one is used and said, one process compiles."""

import ctypes
import os
import re
import shutil
import tempfile
from pathlib import Path

import pytest

from tests.runner.helpers import experiment, rows
from tests.runner.test_interrupts import SIX, Driver, Start
from tests.survival.test_nodes import Nodes, nodes
from tests.survival.watched import PATIENCE_S

__all__ = ["nodes"]
pytestmark = pytest.mark.slow
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1
ROOT = Path(__file__).resolve().parents[2]
KEYS = {**SIX, "deals": 20_000, "chunk_groups": 256}
COMPILED = re.compile(r"data saved to '[^']*/bulk\._play_groups")


def as_any_user() -> None:
    """Have a process of root's heed permissions, as everybody's do: without CAP_DAC_OVERRIDE (prctl(2))."""
    if os.geteuid() == 0:
        ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0)


@pytest.fixture
def install(tmp_path: Path) -> Path:
    """The package and its strategies where nothing can be written, and an empty home that is no better."""
    for name in ("razzsim", "strategies"):
        shutil.copytree(ROOT / name, tmp_path / "install" / name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "home").mkdir()
    for path in (tmp_path / "home", tmp_path / "install", *(tmp_path / "install").rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    return tmp_path / "install"


def test_a_read_only_install_keeps_code_in_a_temporary_folder(install: Path, tmp_path: Path, start: Start) -> None:
    """Nothing was compiled before: what two workers need is compiled once, and where it is kept is said once."""
    config, out, home = experiment(tmp_path, **KEYS), tmp_path / "out.duckdb", tmp_path / "home"
    environment = {key: value for key, value in os.environ.items() if not key.endswith(("_CACHE", "_CACHE_HOME"))}
    environment |= {"HOME": str(home), "PYTHONPATH": str(install)}
    with tempfile.TemporaryDirectory(prefix="rz-") as temporary:  # short: Ray's sockets lie in it
        how = {"temporary": Path(temporary), "environment": environment, "preexec_fn": as_any_user, "cwd": tmp_path}
        for command in (("run", config, "--out", out), ("resume", out)):
            driver: Driver = start(*command, "--workers", 2, **how)
            driver.process.wait(3 * PATIENCE_S)
            code, _, err = driver.end()
            assert code == 0, err
            (line,) = (line for line in err.splitlines() if "cannot be written" in line)
            assert line.startswith(str(home / ".cache" / "razzsim"))
            assert f"is kept in {temporary}/razzsim-cache-{os.geteuid()}" in line
            assert "Traceback" not in err and "Warning" not in err, err
            assert driver.processes() == {}
            assert os.listdir(temporary) == [f"razzsim-cache-{os.geteuid()}"]
    assert list(home.iterdir()) == []
    assert not list(install.rglob("__pycache__"))
    assert rows(out, "SELECT count(*) FROM failures") == [(0,)]
    assert len(rows(out, "SELECT DISTINCT worker FROM chunks")) == 2


def test_one_worker_of_a_cold_node_compiles(
    tmp_path: Path, start: Start, monkeypatch: pytest.MonkeyPatch, nodes: Nodes
) -> None:
    """The driver's cache is warm, the node's is empty: of its two workers one compiles and the other one waits."""
    out = tmp_path / "out.duckdb"
    with monkeypatch.context() as of_the_node:
        of_the_node.setenv("RAZZSIM_CACHE", str(tmp_path / "cache"))
        of_the_node.setenv("NUMBA_DEBUG_CACHE", "1")
        nodes.add(n_cpus=2)
    driver = start("run", experiment(tmp_path, **KEYS), "--address", nodes.address, "--out", out)
    driver.process.wait(3 * PATIENCE_S)
    code, _, err = driver.end()
    assert code == 0, err
    assert len(rows(out, "SELECT DISTINCT worker FROM chunks")) == 2
    assert rows(out, "SELECT count(*) FROM failures") == [(0,)]
    said = [path.read_text(errors="replace") for path in nodes.logs().glob("worker-*.out")]
    assert [len(COMPILED.findall(text)) for text in said if COMPILED.search(text)] == [1]
