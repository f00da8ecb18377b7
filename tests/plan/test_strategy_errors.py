"""Proves that a strategy that cannot be used gets one line with its own FILE:LINE, and that none writes or rolls dice.

Every text below is a strategy file; the experiment names it as bad.py.
"""

import pytest

from razzsim.plan import ConfigError
from razzsim.runner.jobs import Workbench
from tests.plan.experiments import changed, plan_of

HEAD = "from razzsim.strategy import CALL, FOLD, RAISE, strategy\nfrom razzsim.strategy import features as f\n"
DEF = "def bad(me, table, p):\n"
IMPORTS = "a strategy imports razzsim.strategy, math and numpy: a result depends on nothing outside"
ACTIONS = "does not compile: a strategy returns FOLD, CALL or RAISE"
THREE = "a strategy has three arguments: def bad(me, table, p):"
DICE = "randomness comes from the dice alone: use features.uniform(me, k)"
VIEW = "a strategy cannot write into its view"


def body(*lines, before="", given=""):
    """A strategy: line 3 on is `before`, then the decorator and def, then the lines."""
    return HEAD + before + f"@strategy({given})\n" + DEF + "".join(f"    {line}\n" for line in lines)


# The decorator stands on line 3, def on 4, the first line of the function on 5.
DOES_NOT_COMPILE = [
    (body("return CALL +"), "5: is not Python: invalid syntax"),
    (body("x = 1", "  return CALL"), "6: is not Python: unexpected indent"),
    (body("return CALL", before="x = nothing\n"), "3: NameError: name 'nothing' is not defined"),
    (body("return CALL", before="import no_such_thing\n"), f"3: import of no_such_thing is not allowed: {IMPORTS}"),
    (body("return CALL", before="raise ValueError('a\\nb')\n"), "3: ValueError: a b"),
    (body("return CALL", before="raise SystemExit(0)\n"), "3: SystemExit: 0"),
    (body("x = 1", "return CAL"), "6: there is no CAL (did you mean CALL?)"),
    (body("x = 1", "return CALL if table.pot_chip else 0"), "6: there is no table.pot_chip (did you mean pot_chips?)"),
    (body("return CALL if me.stack else FOLD"), "5: there is no me.stack"),
    (body("return CALL if p.open_mx else 0", given="open_max=8"), "5: there is no p.open_mx (did you mean open_max?)"),
    (body("return f.nlow(me, 8)"), "5: there is no f.nlow (did you mean n_low?)"),
    (
        body("x = 1", "return f.n_low(me)"),
        "6: does not compile: a call with the wrong arguments: missing a required argument: 'top'",
    ),
    (
        body("return f.best_up(table, me, 8)"),
        "3: does not compile: a record it uses has no field 'live_mask'; are arguments in the right order?",
    ),
    (body("return 1.5"), f"3: {ACTIONS}, not a number with a fraction"),
    (body("if table.street == 3:", "    return 0.5", "return CALL"), f"3: {ACTIONS}, not a number with a fraction"),
    (body("if table.street == 3:", "    return CALL"), f"3: {ACTIONS}, but here a path ends without it"),
    (body("return 'fold'"), f"3: {ACTIONS}, and nothing else"),
    (body("open('x')", "return CALL"), "5: open is not allowed: a result depends on nothing outside the view"),
    (body("print(1)", "return CALL"), "5: print would print millions of times: look at hands with razzsim hand play"),
    (body("return CALL", before="import time\n"), f"3: import of time is not allowed: {IMPORTS}"),
    (
        body("return helper(me)", before="def helper(me):\n    return CALL\n"),
        "7: does not compile: helper cannot be used in a compiled strategy (one of your own: put @helper "
        "above it, from razzsim.strategy)",
    ),
    (body("return CALL").replace(DEF, "def bad(me, table):\n"), f"4: {THREE}"),
    (body("return CALL").replace(DEF, "def bad(*all):\n"), f"4: {THREE}"),
    (body("return CALL").replace("def", "async def"), "3: a strategy is a function written as def NAME(me, table, p):"),
    (body("return CALL").replace("@strategy()", "@strategy"), "3: write @strategy() with brackets"),
    (body("return CALL").replace("@strategy()\n", ""), " has no function decorated with @strategy"),
    (body("return CALL") + body("return FOLD").replace("bad", "b2"), " has 2 strategies (bad, b2); choose one as "
     "path.py:NAME"),
    (body("return CALL", given="x='a'"), "3: x: 'a' is not allowed as a default: a number up to 2^53, true or false"),
    (body("return CALL", given="x=float('nan')"), "3: x: nan is not allowed as a default: a number up to 2^53, true or "
     "false"),
    (body("return CALL", given="_x=1"), "3: _x is not allowed as the name of a parameter: a letter first, no word of "
     "Python"),
    (body("return CALL", given="declares=('lucky',)"), "3: declares: 'lucky' is not allowed: deterministic, stateless"),
    (body("return f.uniform(me, 0) < 0.5", given="declares='deterministic'"), "5: looks at its dice, but declares "
     "deterministic"),
]  # fmt: skip

WRITES = [
    ("me.seat = 3", "me.seat"),
    ("me.memory[0] = 3", "me.memory[0]"),
    ("table.up[0, 0] = 3", "table.up[0, 0]"),
    ("table.stack_chips[0] += 3", "table.stack_chips[0]"),
    ("x, me.seat = 1, 2", "me.seat"),
    ("del me.seat", "me.seat"),
    ("for me.seat in range(3): pass", "me.seat"),
    ("s = table.up[1]; s[0] = 3", "s[0]"),
    ("s, t = table.up, 1; s[0] = 3", "s[0]"),
    ("s = table.up if me.seat else table.up; s[0] = 3", "s[0]"),
    ("s = table.up.ravel(); s[0] = 3", "s[0]"),
    ("(s := table.up)[0] = 3", "(s := table.up)[0]"),
]


def _expect(source, text, folder):
    (folder / "bad.py").write_text(source)
    with pytest.raises(ConfigError) as raised:
        plan_of(changed(("strategy: tight", "strategy: bad.py")), folder)
    assert str(raised.value) == f"x.yaml:10:15: entrants[0].strategy: bad.py:{text}"


@pytest.mark.parametrize(("source", "text"), DOES_NOT_COMPILE)
def test_the_line_that_does_not_compile(source, text, tmp_path):
    _expect(source, text, tmp_path)


@pytest.mark.parametrize(("line", "target"), WRITES)
def test_writing_into_the_view_is_refused(line, target, tmp_path):
    _expect(body(line, "return CALL"), f"5: {target} = ...: {VIEW}", tmp_path)


def test_writing_row_by_row_by_a_method_or_in_a_helper_is_refused(tmp_path):
    _expect(body("for row in table.up:", "    row[0] = 3", "return CALL"), f"6: row[0] = ...: {VIEW}", tmp_path)
    _expect(body("table.up.fill(3)", "return CALL"), f"5: table.up.fill(3): {VIEW}", tmp_path)
    helper = "from razzsim.strategy import helper as own\n@own\ndef helper(x):\n    x[0] = 3\n"
    _expect(body("helper(me.cards)", "return CALL", before=helper), f"6: x[0] = ...: {VIEW}", tmp_path)


def test_keeping_something_outside_is_refused(tmp_path):
    outside = "a strategy cannot write into what is outside its function"
    _expect(body("n[0] = 1", "return CALL", before="n = [0]\n"), f"6: n[0] = ...: {outside}", tmp_path)
    text = "6: a strategy keeps nothing outside its function"
    _expect(body("global n", "n = 1", "return CALL", before="n = 0\n"), text, tmp_path)


def test_own_arrays_may_be_written(tmp_path):
    lines = ("own = np.zeros(3)", "own[0] = 1", "mine = table.stack_chips.copy()", "mine[0] = 1", "return CALL")
    (tmp_path / "bad.py").write_text(body(*lines, before="import numpy as np\n"))
    assert plan_of(changed(("strategy: tight", "strategy: bad.py")), tmp_path).entrants[0].name == "bad"


@pytest.mark.parametrize(
    "line",
    ["import random", "from random import randint", "import numpy.random as r", "from numpy import random as r"],
)
def test_randomness_of_its_own_is_refused(line, tmp_path):
    _expect(body("return CALL", before=line + "\n"), f"3: {DICE}", tmp_path)


def test_randomness_of_numpy_is_refused_where_it_is_used(tmp_path):
    _expect(body("return np.random.randint(2)", before="import numpy as np\n"), f"6: {DICE}", tmp_path)


@pytest.mark.parametrize("line", ["np.random.randint(2)", "np.random.random()", "np.random.shuffle(table.up)"])
def test_any_use_of_numpys_randomness_is_refused(line, tmp_path):
    _expect(body(f"k = {line}", "return CALL", before="import numpy as np\n"), f"6: {DICE}", tmp_path)
    renamed = line.replace("np.random", "dice.random")
    _expect(body(f"k = {renamed}", "return CALL", before="import numpy as dice\n"), f"6: {DICE}", tmp_path)


@pytest.mark.parametrize(
    ("line", "module"),
    [
        ("import time", "time"),
        ("import os", "os"),
        ("import os.path as path", "os.path"),
        ("import datetime", "datetime"),
        ("from time import time", "time"),
        ("from datetime import datetime as d", "datetime"),
        ("import math, sys", "sys"),
        ("import ctypes", "ctypes"),
        ("import importlib", "importlib"),
        ("import duckdb", "duckdb"),
        ("import numpy.linalg", "numpy.linalg"),
        ("import razzsim", "razzsim"),
        ("from razzsim.engine import state", "razzsim.engine"),
        ("from . import other", "."),
    ],
)
def test_only_what_depends_on_nothing_is_imported(line, module, tmp_path):
    guarded = f"try:\n    {line}\nexcept ImportError:\n    pass\n"
    for number, source in (
        (3, body("return CALL", before=line + "\n")),
        (4, body("return CALL", before=guarded)),
        (5, body(line, "return CALL")),
    ):
        (tmp_path / "bad.py").write_text(source)
        with pytest.raises(ConfigError) as raised:
            plan_of(changed(("strategy: tight", "strategy: bad.py")), tmp_path)
        where, what, allowed = str(raised.value).rpartition(f"import of {module} is not allowed: ")
        assert where + what == f"x.yaml:10:15: entrants[0].strategy: bad.py:{number}: {what}"
        assert "razzsim.strategy, math and numpy" in allowed
        assert "\n" not in allowed


def test_what_may_be_imported(tmp_path):
    before = "import math\nimport numpy\nfrom math import floor\nfrom razzsim.strategy.features import n_low\n"
    (tmp_path / "bad.py").write_text(body("return min(1, floor(math.sqrt(n_low(me, 8))))", before=before))
    assert _first_chunk(tmp_path).failure is None


WRITTEN_BY_NUMPY = [
    "np.add(table.hand_chips, 1, table.hand_chips)",
    "np.add(table.hand_chips, 1, out=table.hand_chips)",
    "np.add(own, 1, table.stack_chips)",
    "np.negative(me.memory, me.memory)",
    "np.multiply(table.up[0], 2, table.up[0])",
    "np.add(table.hand_chips[2:], 1, table.hand_chips[2:])",
    "np.put(me.cards, 0, 1)",
    "np.fill_diagonal(table.up, 3)",
    "np.add(mine, 1, mine)",
    "np.add(mine.ravel(), 1, mine.ravel())",
    "np.add(np.asarray(me.memory), 1, np.asarray(me.memory))",
    "np.add(*(mine, 1, mine))",
    "add(mine, 1, mine)",
]


@pytest.mark.parametrize("line", WRITTEN_BY_NUMPY)
def test_numpy_may_not_write_into_the_view(line, tmp_path):
    why = "an array of the view goes to such a function alone, or as a .copy(): it could be written into"
    lines = ("own = np.zeros(8, np.int64)", "mine = table.hand_chips", "add = np.add", line, "return CALL")
    _expect(body(*lines, before="import numpy as np\n"), f"9: {line}: {why}", tmp_path)


@pytest.mark.parametrize(
    ("before", "line", "text"),
    [
        (
            "from numpy import add\n",
            "return CALL",
            "3: import numpy as np, whole, so that its functions are known as such",
        ),
        ("", "return me.cards.flat[9]", "5: .flat is not allowed: it reaches memory or files without a check"),
        ("from numba import njit\n", "return CALL", f"3: import of numba is not allowed: {IMPORTS}"),
    ],
)
def test_ways_around_the_checks_are_refused(before, line, text, tmp_path):
    _expect(body(line, before=before), text, tmp_path)


def test_a_function_of_its_own_is_compiled_with_its_indices_checked(tmp_path):
    own = "from razzsim.strategy import helper\n@helper\ndef first(cards, i):\n    return cards[i]\n"
    (tmp_path / "bad.py").write_text(body("return CALL if first(me.cards, 700) < 99 else FOLD", before=own))
    failure = _first_chunk(tmp_path).failure
    assert failure is not None
    assert failure.message.startswith("raised IndexError")


@pytest.mark.parametrize("line", ["np.add(table.hand_chips.copy(), 1, own)", "own[0] = np.sum(table.hand_chips)"])
def test_numpy_reads_the_view_alone_or_a_copy(line, tmp_path):
    lines = ("own = np.zeros(8, np.int64)", line, "return CALL if own[0] >= 0 else FOLD")
    (tmp_path / "bad.py").write_text(body(*lines, before="import numpy as np\n"))
    assert _first_chunk(tmp_path).failure is None


OUTSIDE_OF_AN_ARRAY = [
    *(f"me.cards[table.n_seats + {k - 2}]" for k in (8, 9, 63, 64, 255, 711, 712)),  # 712: a card of the next seat
    "me.cards[9]",
    "me.cards[-7 - table.n_seats]",
    "me.params[16]",
    "me.memory[62 + table.n_seats]",
    "table.stack_chips[9]",
    "table.stack_chips[6 + table.n_seats]",
    "table.up[6 + table.n_seats, 0]",
    "table.up[0, 2 + table.n_seats]",
    "table.up[6 + table.n_seats][0]",
    "table.history[0][62 + table.n_seats]",
    "f.door(table, 9)",
    "f.up_low(table, 6 + table.n_seats, 8)",
]


@pytest.mark.parametrize("read", OUTSIDE_OF_AN_ARRAY)
def test_reading_beside_an_array_is_a_failure_of_the_strategy(read, tmp_path):
    """The table has two seats: an index of `... + table.n_seats` is known only when it is played."""
    (tmp_path / "bad.py").write_text(body(f"k = {read}", "return CALL if k < 1 << 40 else FOLD"))
    failure = _first_chunk(tmp_path).failure
    assert failure is not None
    assert (failure.entrant, failure.deal) == (0, 0)
    assert failure.message == "raised IndexError: index is out of bounds"


def _first_chunk(folder):
    """What becomes of the first deals that bad.py plays."""
    plan = plan_of(changed(("strategy: tight", "strategy: bad.py")), folder)
    return Workbench(plan).play(next(plan.chunks()))


def test_strategy_files_that_cannot_be_read(tmp_path):
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "latin.py").write_bytes(b"# caf\xe9\n")
    for name, why in (
        ("no.py", "cannot be read: no such file or directory"),
        ("folder.py", "cannot be read: is a directory"),
        ("latin.py", "is not UTF-8 text (byte 5)"),
    ):
        with pytest.raises(ConfigError) as raised:
            plan_of(changed(("strategy: tight", f"strategy: {name}")), tmp_path)
        where = "x.yaml:10:15: entrants[0].strategy"
        assert str(raised.value) == f"{where}: {name} is not allowed: {tmp_path / name} {why}"


def test_a_function_that_is_not_there(tmp_path):
    (tmp_path / "bad.py").write_text(body("return CALL"))
    with pytest.raises(ConfigError, match=r"bad\.py: has no @strategy named nope; it has bad$"):
        plan_of(changed(("strategy: tight", "strategy: bad.py:nope")), tmp_path)
