"""The list of mutants (tests/data/mutants.yaml) cannot rot: each still applies, and its tests are there.

That the suite kills them is shown by `python -m tests.mutants`, which takes minutes and is no part of the suite.
"""

import shlex
from collections import Counter

from tests.mutants import ROOT, mutants


def test_every_mutant_applies_exactly_once() -> None:
    assert [mutant.id for mutant in mutants() if not mutant.applies()] == []


def test_mutants_are_named_apart_and_break_every_part_of_the_engine() -> None:
    chosen = mutants()
    assert len({mutant.id for mutant in chosen}) == len(chosen) >= 30
    parts = Counter(mutant.file for mutant in chosen)
    assert set(parts) >= {
        f"engine/{part}.py" for part in ("betting", "dealing", "settling", "lows", "streams", "exposed", "bulk")
    }
    assert all((ROOT / "tests" / shlex.split(mutant.by)[0]).is_file() for mutant in chosen)
    assert len({mutant.rule for mutant in chosen}) >= 25
