"""Breaks the engine and the dispatcher one rule at a time and shows that the suite notices.

    python -m tests.mutants [--list] [--only ID]

Each mutant of tests/data/mutants.yaml is one changed line. It is made in a copy of the checkout with a cache of
compiled code of its own, and the tests named beside it must fail there: killed. A mutant that survives is a missing
test. Before, the same tests must pass on the copy as it is. Exit code 1 when one survives, does not apply or does
not compile.
"""

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "tests" / "data" / "mutants.yaml"
COPIED = ("razzsim", "tests", "strategies", "configs")
TIMEOUT_SECONDS = 120
"""A mutant that hangs is noticed, too."""
PASSED, FAILED = 0, 1
"""pytest's exit codes; any other means that it could not run the tests."""


@dataclass(frozen=True)
class Mutant:
    """One changed line of razzsim/`file`, the rule it breaks and the tests under tests/ that must notice."""

    id: str
    rule: str
    file: str
    old: str
    new: str
    by: str

    def path(self, root: Path) -> Path:
        return root / "razzsim" / self.file

    def applies(self, root: Path = ROOT) -> bool:
        """Whether the old text is there exactly once and the new one differs."""
        return self.path(root).read_text(encoding="utf-8").count(self.old) == 1 and self.old != self.new


def mutants() -> list[Mutant]:
    return [Mutant(**row) for row in yaml.safe_load(FILE.read_text(encoding="utf-8"))]


class Copy:
    """A copy of the checkout in a temporary folder, with its own cache of compiled code."""

    def __init__(self, folder: Path) -> None:
        self.root, self.cache = folder / "checkout", folder / "cache"
        for name in COPIED:
            shutil.copytree(ROOT / name, self.root / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", self.root)
        imported = self._run([sys.executable, "-c", "import razzsim; print(razzsim.__file__)"]).stdout
        assert Path(imported.strip()).is_relative_to(self.root), f"the copy would test {imported}"

    def _run(self, command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        own = {
            "PYTHONPATH": str(self.root),
            "RAZZSIM_CACHE": str(self.cache),
            "NUMBA_DISABLE_JIT": "0",
            "NUMBA_OPT": "0",
        }
        # Unoptimised code is the same arithmetic, and compiling is what takes the time here.
        environment = {**os.environ, **own, "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(
            command,
            cwd=self.root,
            env=environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )

    def test(self, by: str) -> tuple[int, str]:
        """(pytest's exit code, what it printed); stops at the first failure."""
        file, *options = shlex.split(by)
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-x",
            "-q",
            "-n",
            "0",
            "-p",
            "no:cacheprovider",
            f"tests/{file}",
            *options,
        ]
        done = self._run(command)
        return done.returncode, done.stdout + done.stderr

    def verdict(self, mutant: Mutant) -> str:
        """`killed`, or what is wrong, with the mutant applied for as long."""
        if not mutant.applies(self.root):
            return "does not apply"
        path = mutant.path(self.root)
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
        try:
            code, output = self.test(mutant.by)
        except subprocess.TimeoutExpired:
            return "killed"
        finally:
            path.write_text(text, encoding="utf-8")
            shutil.rmtree(self.cache, ignore_errors=True)
        if "numba.core.errors" in output or "SyntaxError" in output:
            return "does not compile"
        if code in (PASSED, FAILED):
            return "SURVIVED" if code == PASSED else "killed"
        return "killed" if code < 0 else f"pytest could not run: exit code {code}"  # below 0: it crashed


def together(chosen: Sequence[Mutant]) -> list[str]:
    """What all of them run, a line a file: `engine/test_lows.py -k 'L1 or L4 or L2'`."""
    words: dict[str, list[str]] = {}
    for mutant in chosen:
        file, *options = shlex.split(mutant.by)
        assert options[:1] in ([], ["-k"]), mutant.by
        words.setdefault(file, []).append(options[1] if options else "test_")
    return [f"{file} -k {shlex.quote(' or '.join(dict.fromkeys(names)))}" for file, names in words.items()]


def unbroken(copy: Copy, chosen: Sequence[Mutant]) -> bool:
    """The tests named must pass as long as nothing is broken."""
    for by in together(chosen):
        code, output = copy.test(by)
        if code != PASSED:
            sys.stdout.write(f"{output}\nwithout a mutant, {by!r} fails already\n")
            return False
    return True


def run(chosen: Sequence[Mutant]) -> bool:
    """Try each; whether all were killed."""
    start, bad = time.perf_counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder))
        if not unbroken(copy, chosen):
            return False
        for mutant in chosen:
            began = time.perf_counter()
            verdict = copy.verdict(mutant)
            bad += verdict != "killed"
            took = time.perf_counter() - began
            sys.stdout.write(f"{verdict:10} {took:4.0f} s  {mutant.rule:8} {mutant.id}\n")
            sys.stdout.flush()
    total = time.perf_counter() - start
    sys.stdout.write(f"{len(chosen) - bad} of {len(chosen)} mutants killed ({total:.0f} s)\n")
    return bad == 0


def main() -> int:
    """Command line; 1 when a mutant was not killed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="print the mutants and stop")
    parser.add_argument("--only", metavar="ID", help="try this one")
    options = parser.parse_args()
    chosen = [mutant for mutant in mutants() if options.only in (None, mutant.id)]
    if not chosen:
        parser.error(f"no mutant is called {options.only!r}; --list names them")
    if options.list:
        for m in chosen:
            sys.stdout.write(f"{m.rule:8} {m.id:34} {m.file}: {m.old}  ->  {m.new}\n")
        return 0
    return 0 if run(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
