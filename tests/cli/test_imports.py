"""Proves that a command loads what it uses and no more: that is what makes it quick to answer.

Each in a process of its own, on a warm cache. No times: which libraries are there afterwards.
"""

import json
import subprocess
import sys
from importlib import import_module

from razzsim.cli.app import _CODES
from tests.cli.conftest import call

COMPILER = {"numba", "llvmlite"}
HEAVY = {*COMPILER, "numpy", "pyarrow", "duckdb", "ray", "rich", "prometheus_client", "jinja2", "matplotlib"}
RUN = """
import sys
from razzsim.cli.app import main
codes = []
for command in {commands!r}:
    try:
        main(command)
    except SystemExit as ended:
        codes.append(ended.code)
"""
TELL = """
import json
sys.stdout.write("\\n" + json.dumps([codes, sorted({name.partition(".")[0] for name in sys.modules})]))
"""


def loaded(script, folder):
    """What the script counted as codes, and which of the heavy libraries it has loaded."""
    words = [sys.executable, "-c", script + TELL]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True)
    codes, modules = json.loads(done.stdout.splitlines()[-1])
    return codes, HEAVY & set(modules)


def test_validate_needs_no_compiler_once_the_strategies_are_known(folder):
    assert call("validate", "tiny.yaml", cwd=folder).code == 0
    assert loaded(RUN.format(commands=[["validate", "tiny.yaml"]]), folder) == ([0], set())


def test_looking_at_a_result_needs_no_compiler(folder, first):
    """Nor do its errors."""
    assert first.code == 0
    query = ["query", "tiny.duckdb"]
    commands = [["status", "tiny.duckdb"], [*query, "SELECT * FROM standings"], [*query, "SELEC"], ["status", "no"]]
    codes, there = loaded(RUN.format(commands=commands), folder)
    assert codes == [0, 0, 2, 2]
    assert not there & {*COMPILER, "ray", "prometheus_client"}


def test_the_driver_of_a_ray_needs_no_compiler(folder):
    """Two cores are busy enough while Ray starts."""
    assert call("validate", "tiny.yaml", cwd=folder).code == 0
    script = """
import sys
import razzsim.runner.cluster, razzsim.runner.play
from razzsim.plan import plan_from_file
codes = [plan_from_file("tiny.yaml").deals]
"""
    deals, there = loaded(script, folder)
    assert deals == [200]
    assert "ray" in there
    assert not there & COMPILER


def test_errors_with_an_exit_code_are_known_by_their_names():
    for name in _CODES:
        module, _, kind = name.rpartition(".")
        assert issubclass(getattr(import_module(module), kind), Exception)
