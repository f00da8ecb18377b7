"""Charts: a strategy as rules in YAML, ordered by street, turned into the text of a compiled one.

    params: {open_max: 8}
    streets:
      third:
        - when: n_low(open_max) == 3 and n_bets == 0
          then: {complete: 0.8, call: 0.2}
    else: fold

The first rule whose `when` holds decides. Its words are the features, the numbers of a view and the chart's own
parameters; nothing else is let through.
"""

import ast
import inspect
import keyword
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from numba.core.registry import CPUDispatcher

from razzsim.document import ConfigError, Document, Path, did_you_mean, dotted, read_document
from razzsim.engine.state import ME_DTYPE, N_PARAMS, TABLE_DTYPE
from razzsim.strategy import features
from razzsim.strategy.declaration import LARGEST, StrategyError

KEYS = ("about", "params", "streets", "else")
STREETS = {"third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7}
ACTIONS = {
    "fold": "f.check_or_fold(me)",
    "call": "CALL",
    **dict.fromkeys(("raise", "bet", "complete"), "(RAISE if f.may_raise(me) else CALL)"),
}
"""Words of a chart. Nobody folds what is free, and who may not raise any more calls."""
_MIX_DIE = 1 << 20
"""Which of a decision's numbers chooses in a mix: none that a chart is likely to ask for with uniform(k)."""
_HIDDEN = {"dice", "may_raise", "check_or_fold", "legal_mask", "rank_mask"}
"""What a chart has no use for: its actions know what is legal."""
_OPERATORS = (
    *(ast.And, ast.Or, ast.Not, ast.USub, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod),
    *(ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn),
)
_FORMS = (ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.Compare)
_LONGEST = 1000
"""Characters of an expression: Python's own parser fails on deep ones without a word."""
_TAKEN = {"f", "CALL", "RAISE", "strategy", "me", "table", "p"}
"""Names in the module that is made."""
_CONSTANTS = {"true": True, "false": False}


@cache
def feature_arguments() -> dict[str, list[str]]:
    """Features by name, with the arguments that a chart gives: not the views, which every one gets."""
    found = {name: value for name, value in vars(features).items() if isinstance(value, CPUDispatcher)}
    return {
        name: [argument for argument in inspect.signature(value).parameters if argument not in ("me", "table")]
        for name, value in sorted(found.items())
        if value.__module__ == features.__name__ and not name.startswith("_") and name not in _HIDDEN
    }


@cache
def fields() -> dict[str, str]:
    """Numbers of a view by name: which half of it holds them."""
    halves = {"me": ME_DTYPE, "table": TABLE_DTYPE}
    return {
        name: half
        for half, dtype in halves.items()
        for name in dtype.names or ()
        if not dtype[name].shape and name not in _HIDDEN
    }


@cache
def python_of(text: str, stem: str) -> str:
    """The module of Python that plays a chart. Raises StrategyError with line and column."""
    try:
        document = read_document(text, stem, f"a chart is a mapping of {', '.join(KEYS)}")
        return _Chart(document, text.splitlines()).module(_function_name(stem))
    except ConfigError as error:
        raise StrategyError(error.what, *error.place) from None


@dataclass
class _Chart:
    """A chart under translation."""

    document: Document
    lines: list[str]
    rolls: bool = False
    """Whether a decision looks at its dice."""

    def module(self, name: str) -> str:
        """The whole text; name: of the function."""
        data = self.document.data
        self._refuse_other_keys((), data, KEYS)
        about = data.get("about", "")
        if not isinstance(about, str):
            raise self.document.not_allowed(("about",), "a sentence or more on how it plays")
        params, streets = self._params(_or_empty(data, "params")), _or_empty(data, "streets")
        self._refuse_other_keys(("streets",), streets, STREETS)
        if "else" not in data:
            raise self.document.error(("else",), f"is missing: what it does where no rule holds: {', '.join(ACTIONS)}")
        body = [line for street in STREETS if street in streets for line in self._street(street, streets[street])]
        body.append(f"return {self._action(('else',), data['else'])}")
        declares = ("stateless",) if self.rolls else ("deterministic", "stateless")
        given = "".join(f"{key}={value!r}, " for key, value in params.items())
        return "\n".join(
            [
                repr(about),
                "from razzsim.strategy import CALL, RAISE, features as f, strategy\n\n",
                f"@strategy({given}declares={declares})",
                f"def {name}(me, table, p):",
                f"    {' '.join(about.split())!r}",
                *(f"    {line}" for line in body),
                "",
            ]
        )

    def _params(self, params: Any) -> dict[str, Any]:
        if not isinstance(params, dict):
            raise self.document.not_allowed(("params",), "a mapping of names to numbers, such as {open_max: 8}")
        if len(params) > N_PARAMS:
            raise self.document.error(("params",), f"are {len(params)}: at most {N_PARAMS}")
        for key, value in params.items():
            is_taken = keyword.iskeyword(key) or key in _taken_names()
            if not key.isidentifier() or key.startswith("_") or is_taken:
                what = "is not allowed as the name of a parameter: a word that no feature, field or word of Python is"
                raise self.document.error(("params", key), what, at_key=True)
            if not isinstance(value, int | float) or abs(value) > LARGEST:  # true and false are whole numbers
                raise self.document.not_allowed(("params", key), "a number up to 2^53, true or false")
        return params

    def _street(self, street: str, rules: Any) -> Iterator[str]:
        path: Path = ("streets", street)
        if not isinstance(rules, list) or not rules:
            raise self.document.not_allowed(path, "a list of rules, each with when and then; the last may be else")
        yield f"if table.street == {STREETS[street]}:"
        for number, rule in enumerate(rules):
            here = (*path, number)
            if not isinstance(rule, dict):
                raise self.document.not_allowed(here, "a rule: when and then, or else")
            self._refuse_other_keys(here, rule, ("when", "then", "else"))
            if rule.keys() == {"else"} and number == len(rules) - 1:
                yield f"    return {self._action((*here, 'else'), rule['else'])}"
            elif rule.keys() == {"when", "then"}:
                yield f"    if {self._condition((*here, 'when'), rule['when'])}:"
                yield f"        return {self._action((*here, 'then'), rule['then'])}"
            else:
                raise self.document.error(here, "is not allowed: when and then, or else alone as the last rule")

    def _action(self, path: Path, then: Any) -> str:
        """An expression for an action or a mix of them."""
        if isinstance(then, str) and then in ACTIONS:
            return ACTIONS[then]
        if not isinstance(then, dict) or not then:
            hint = did_you_mean(then, ACTIONS) if isinstance(then, str) else ""
            raise self.document.not_allowed(
                path, f"{', '.join(ACTIONS)}, or a mix such as {{raise: 0.8, call: 0.2}}{hint}"
            )
        self._refuse_other_keys(path, then, tuple(ACTIONS))
        self._refuse_other_sums(path, then)
        self.rolls = True
        *first, last = then
        text, shares = "", []
        for word in first:
            share = then[word]
            shares.append(self._share((*path, word), share) if isinstance(share, str) else repr(share))
            text += f"{ACTIONS[word]} if f.uniform(me, {_MIX_DIE}) < {' + '.join(shares)} else "
        return text + ACTIONS[last]

    def _refuse_other_sums(self, path: Path, then: dict[str, Any]) -> None:
        """Shares are numbers that add up to 1, or words, and then the last is what is left."""
        *first, last = then.items()
        for word, share in then.items():
            is_number = isinstance(share, int | float) and not isinstance(share, bool)
            is_word = isinstance(share, str) and ((word, share) != last or share == "rest")
            if not (is_number and 0 <= share <= 1) and not is_word:
                raise self.document.not_allowed((*path, word), "a share from 0 to 1, a parameter, or, last, rest")
        if last[1] == "rest":
            return
        if any(isinstance(share, str) for _, share in first):
            raise self.document.not_allowed((*path, last[0]), "rest, since another share is not a plain number")
        if abs(sum(then.values()) - 1) > 1e-9:
            raise self.document.error(path, f"shares add up to {sum(then.values()):g}: make it 1, or the last one rest")

    def _share(self, path: Path, text: str) -> str:
        share = self._condition(path, text)
        if any(isinstance(node, ast.BoolOp | ast.Compare | ast.Not) for node in ast.walk(_parsed(share))):
            raise self._wrong(path, 0, f"{text} is not allowed: a share is a number, made of parameters and features")
        return f"({share})"

    def _condition(self, path: Path, given: Any) -> str:
        """An expression of a chart as one of Python."""
        if not isinstance(given, str | bool | int | float):
            raise self.document.not_allowed(path, "an expression, such as n_low(8) == 3 and n_bets == 0")
        text = given if isinstance(given, str) else str(given).lower()
        if len(text) > _LONGEST:
            raise self._wrong(path, 0, f"is longer than {_LONGEST:,} characters: make several rules of it")
        try:
            tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            what = f"is not an expression: {getattr(error, 'msg', error)}"
            raise self._wrong(path, (getattr(error, "offset", None) or 1) - 1, what) from None
        return ast.unparse(self._translated(tree, path))

    def _translated(self, node: ast.expr, path: Path) -> ast.expr:
        if isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float) and abs(node.value) <= LARGEST:
            return node
        if isinstance(node, ast.Name):
            return self._word(node, path)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            return self._call(node.func, [self._translated(argument, path) for argument in node.args], path)
        operators = getattr(node, "ops", None) or [getattr(node, "op", ast.And())]
        if not isinstance(node, _FORMS) or not all(isinstance(part, _OPERATORS) for part in operators):
            raise self._wrong(
                path,
                node.col_offset,
                f"{ast.unparse(node)} is not allowed: features, fields, parameters, "
                "numbers, comparisons, arithmetic, and, or, not, in (1, 2)",
            )
        if isinstance(node, ast.Compare):
            self._refuse_other_sets(node, path)
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                setattr(node, name, self._translated(value, path))
            elif isinstance(value, list):
                value[:] = [self._translated(part, path) if _is_term(part) else part for part in value]
        return node

    def _refuse_other_sets(self, node: ast.Compare, path: Path) -> None:
        """Numbers in brackets stand on the right of `in`, and nothing else does."""
        for operator, right in zip(node.ops, node.comparators, strict=True):
            is_set = isinstance(right, ast.Tuple) and all(isinstance(item, ast.Constant) for item in right.elts)
            if is_set != isinstance(operator, ast.In | ast.NotIn):
                what = f"{ast.unparse(node)} is not allowed: in and not in want numbers in brackets, as in (1, 2)"
                raise self._wrong(path, node.col_offset, what)

    def _word(self, node: ast.Name, path: Path) -> ast.expr:
        name = node.id
        if name in _CONSTANTS:
            return ast.Constant(_CONSTANTS[name])
        if name in _or_empty(self.document.data, "params"):
            return _parsed(f"p.{name}")
        if name in fields():
            return _parsed(f"{fields()[name]}.{name}")
        return self._call(node, [], path)

    def _call(self, name: ast.Name, arguments: list[ast.expr], path: Path) -> ast.expr:
        known = feature_arguments()
        if name.id not in known:
            words = [*known, *fields(), *_or_empty(self.document.data, "params")]
            hint = did_you_mean(name.id, words)
            told = ", ".join(
                f"{feature}({', '.join(wanted)})" if wanted else feature for feature, wanted in known.items()
            )
            raise self._wrong(path, name.col_offset, f"there is no {name.id}{hint}; features are {told}")
        if len(arguments) != len(known[name.id]):
            wanted = ", ".join(known[name.id])
            raise self._wrong(path, name.col_offset, f"{name.id} is not allowed like this: {name.id}({wanted})")
        self.rolls |= name.id == "uniform"
        views = [view for view in inspect.signature(getattr(features, name.id)).parameters if view in ("me", "table")]
        call = _parsed(f"f.{name.id}({', '.join(views)})")
        assert isinstance(call, ast.Call)
        call.args += arguments
        return call

    def _wrong(self, path: Path, offset: int, what: str) -> StrategyError:
        """An error at a place in an expression, where the expression stands on one line."""
        line, column = self.document.places[path]
        begins = self.lines[line - 1][column - 1 :]
        if begins[:1] in "|>" or not begins.strip():
            offset = 0  # the text begins below, with an indentation of its own
        return StrategyError(f"{dotted(path)}: {what}", line, column + offset + (begins[:1] in "'\""))

    def _refuse_other_keys(self, path: Path, given: Any, known: Iterable[str]) -> None:
        if not isinstance(given, dict):
            raise self.document.not_allowed(path, f"a mapping of {', '.join(known)}")
        for key in given:
            if key not in known:
                what = f"is not a key here{did_you_mean(key, known)}; keys are {', '.join(known)}"
                raise self.document.error((*path, key), what, at_key=True)


def _or_empty(data: dict[str, Any], key: str) -> Any:
    return {} if data.get(key) is None else data[key]


def _taken_names() -> set[str]:
    """What no parameter is named."""
    return {*feature_arguments(), *fields(), *_CONSTANTS, *_HIDDEN, *_TAKEN, "rest", "declares"}


def _function_name(stem: str) -> str:
    name = re.sub(r"[^0-9A-Za-z_]|^(?=\d)", "_", stem)
    return f"{name}_" if keyword.iskeyword(name) or name in _TAKEN else name


def _is_term(part: Any) -> bool:
    """Whether it is to be translated: not a set of numbers."""
    return isinstance(part, ast.expr) and not isinstance(part, ast.Tuple)


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body
