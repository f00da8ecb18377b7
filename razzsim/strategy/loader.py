"""From a strategy's source text to a usable strategy, on the driver and on any worker alike.

Only the text travels. It is written to <cache>/strategies/<sha256>/NAME.py and imported under a private
module name: tracebacks show its lines, Numba caches its machine code, and its folder never enters sys.path.
"""

import importlib.util
import re
import sys
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType

from razzsim.engine import jit_cache
from razzsim.strategy.chart import python_of
from razzsim.strategy.declaration import StrategyError
from razzsim.strategy.definition import Strategy
from razzsim.strategy.lint import refuse_forbidden, refuse_unknown
from razzsim.strategy.source import Source


@cache
def load(source: Source) -> Strategy:
    """Import the source and find its strategy. Raises StrategyError (with the line) for whatever goes wrong."""
    text = _python(source)
    try:
        refuse_forbidden(text)
    except StrategyError as error:
        raise StrategyError(str(error), 0 if source.kind == "chart" else error.line) from None
    module = _import(source)
    found = {name: value for name, value in vars(module).items() if isinstance(value, Strategy)}
    if source.function is not None:
        if source.function not in found:
            raise StrategyError(f"has no @strategy named {source.function}; it has {', '.join(found) or 'none'}")
        return found[source.function]
    if len(found) != 1:
        names = ", ".join(found)
        raise StrategyError(
            f"has {len(found)} strategies ({names}); choose one as path.py:NAME"
            if found
            else "has no function decorated with @strategy"
        )
    return next(iter(found.values()))


@cache
def compiled(source: Source) -> Callable[..., int]:
    """The compiled entry of the source's strategy. Raises StrategyError naming the line that does not compile."""
    strategy = load(source)
    refuse_unknown(_python(source), strategy, vars(_import(source)))
    try:
        return strategy.compile(_folder(source))
    except Exception as error:  # Numba lets KeyError and others of its own through
        line, words = _numba_words(error, source.stem)
        line = 0 if source.kind == "chart" else line or strategy.decide.__code__.co_firstlineno
        raise StrategyError(words, line) from error


def _python(source: Source) -> str:
    """Its text, or what is made of it."""
    return python_of(source.text, source.stem) if source.kind == "chart" else source.text


def _folder(source: Source) -> Path:
    # By name too: Numba finds machine code by the name of the module that it was made in.
    folder = jit_cache.cache_folder() / "strategies" / source.sha256 / source.stem
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _import(source: Source) -> ModuleType:
    path = _folder(source) / f"{source.stem}.py"
    jit_cache.write_once(path, _python(source))
    name = f"_razzsim_strategy_{source.sha256[:16]}_{source.stem}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise _import_problem(error, path) from error
    return module


def _import_problem(error: Exception | SystemExit, path: Path) -> StrategyError:
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    what = str(error) if isinstance(error, StrategyError) else f"{type(error).__name__}: {error}"
    return StrategyError(" ".join(what.split())[:200], (lines[-1] or 0) if lines else 0)


_TELLING = (
    (r"a strategy returns [^\n]*", "{0}"),
    (r"name '(\w+)' is not defined", "there is no {1}"),
    (r"to signature '?\((.*?)\)'?: ([^\n]*)", "a call of a function of ({1}): {2}"),
    (r"(?:missing a required argument: '\w+'|too many positional arguments)", "a call with the wrong arguments: {0}"),
    (
        r"Untyped global name '(\w+)'",
        "{1} cannot be used in a compiled strategy (one of your own: put @helper above it, from razzsim.strategy)",
    ),
    (r"Unknown attribute '(\w+)'", "there is no attribute {1}"),
    (r"Use of unsupported[^\n]*|Unsupported[^\n]*|The '[^\n]* is not supported", "{0}"),
)
"""What Numba says where it matters, and what is said of it."""


def _numba_words(error: Exception, stem: str) -> tuple[int, str]:
    """The line of the strategy's own file that Numba stumbled over (0: it does not say), and why, in a few words."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    at = re.findall(rf'\b{re.escape(stem)}\.py(?:", line | \(|:)(\d+)', plain)
    line = int(at[-1]) if at else 0
    if isinstance(error, KeyError):
        return line, f"does not compile: a record it uses has no field {error}; are arguments in the right order?"
    for pattern, words in _TELLING:
        if found := re.search(pattern, plain):
            said = words.format(found[0], *found.groups()).split(" Raised from")[0]
            return line, f"does not compile: {said}"[:200]
    sentences = [" ".join(text.split()) for text in plain.splitlines() if text.strip()]
    dull = re.compile(r"^(Failed in|During:|File |There are|- Of which|Overload|No implementation|Rejected|>>>|>)")
    telling = [text for text in sentences if not dull.match(text)] or sentences or [type(error).__name__]
    return line, f"does not compile: {telling[0]}"[:200]
