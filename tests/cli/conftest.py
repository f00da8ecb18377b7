"""One small run for all tests of the program, and how to call it."""

import io
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

from razzsim.cli.app import main

CONFIG = """\
seed: 7
table:
  seats: 2
  ante: 1
  bring_in: 2
  small_bet: 4
entrants:
  - strategy: tight
  - strategy: station
schedule: heads_up
deals: 200
"""

PATIENCE_S = 600
"""What takes a second may take minutes on a busy machine with an empty cache."""


@dataclass
class Answer:
    """What the program wrote and how it ended."""

    code: int
    out: str
    err: str

    @property
    def error(self):
        """The only line on stderr; nothing may be on stdout, and nothing may look like Python."""
        assert self.out == ""
        assert self.err.count("\n") == 1
        assert "Traceback" not in self.err
        return self.err.rstrip("\n")


def process(*arguments, cwd=None, stdin=""):
    """Run `razzsim ARGUMENTS` as a user does, in a process of its own."""
    program = Path(sys.executable).with_name("razzsim")
    words = [str(program), *map(str, arguments)]
    done = subprocess.run(words, cwd=cwd, input=stdin, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    return Answer(done.returncode, done.stdout, done.stderr)


def call(*arguments, cwd=".", stdin=""):
    """The same in this process: a second less for each call."""
    out, err, keyboard = io.StringIO(), io.StringIO(), sys.stdin
    sys.stdin = io.StringIO(stdin)
    try:
        with chdir(cwd), redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
    finally:
        sys.stdin = keyboard
    return Answer(ended.value.code, out.getvalue(), err.getvalue())


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """A folder with tiny.yaml."""
    made = tmp_path_factory.mktemp("cli")
    (made / "tiny.yaml").write_text(CONFIG)
    return made


@pytest.fixture(scope="session")
def first(folder):
    """The answer of the one run, and its file tiny.duckdb."""
    return process("run", "tiny.yaml", "--out", "tiny.duckdb", "--local", "--json", cwd=folder)
