"""From a strategy's source text to a usable strategy, on the driver and on any worker alike.

Only the text travels. It is written to <cache>/strategies/<sha256>/NAME.py and imported under a private
module name: tracebacks show its lines, Numba caches its machine code, and its folder never enters sys.path.
"""

import hashlib
import importlib.util
import re
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

from numba.core.errors import NumbaError

from razzsim.engine import jit_cache
from razzsim.strategy.definition import Strategy, StrategyError
from razzsim.strategy.lint import refuse_forbidden


@dataclass(frozen=True)
class Source:
    """A strategy as it travels: file stem, text, and which function (None: the only one in the file)."""

    stem: str
    text: str
    function: str | None = None

    @property
    def sha256(self) -> str:
        """Hash of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def read_source(path: Path, function: str | None = None) -> Source:
    """Read a strategy file. Raises StrategyError when it cannot be read."""
    try:
        return Source(path.stem, path.read_text(encoding="utf-8"), function)
    except UnicodeDecodeError as error:
        raise StrategyError(f"is not UTF-8 text (byte {error.start})") from None
    except OSError as error:
        raise StrategyError(f"cannot be read: {(error.strerror or str(error)).lower()}") from None


@cache
def load(source: Source) -> Strategy:
    """Import the source and find its strategy. Raises StrategyError (with the line) for whatever goes wrong."""
    refuse_forbidden(source.text)
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
    try:
        return strategy.compile(_folder(source))
    except NumbaError as error:
        line, words = _numba_words(str(error), source.stem)
        raise StrategyError(f"does not compile: {words}", line) from error


def _folder(source: Source) -> Path:
    folder = jit_cache.cache_folder() / "strategies" / source.sha256
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _import(source: Source) -> ModuleType:
    path = _folder(source) / f"{source.stem}.py"
    jit_cache.write_once(path, source.text)
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
    except BaseException as error:
        del sys.modules[name]
        if not isinstance(error, Exception):
            raise
        raise _import_problem(error, path) from error
    return module


def _import_problem(error: Exception, path: Path) -> StrategyError:
    if isinstance(error, SyntaxError):
        return StrategyError(f"is not Python: {error.msg}", error.lineno or 0)
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    what = str(error) if isinstance(error, StrategyError) else f"{type(error).__name__}: {error}"
    return StrategyError(what, (lines[-1] or 0) if lines else 0)


def _numba_words(message: str, stem: str) -> tuple[int, str]:
    """The line of the strategy's own file that Numba stumbled over, and its first telling sentence."""
    at = re.findall(rf'File "[^"\n]*\b{re.escape(stem)}\.py", line (\d+)', message)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", message)
    sentences = [line.strip() for line in plain.splitlines() if line.strip()]
    dull = re.compile(r"^(Failed in|During:|File |There are|- Of which|Overload|No implementation|Rejected|>>>|>)")
    telling = [line for line in sentences if not dull.match(line) and "def entry" not in line]
    for pattern in ("returns FOLD", "is not defined", "Unknown attribute", "has no attribute", "Unsupported"):
        telling = [line for line in telling if pattern in line] or telling
    words = (telling or sentences or ["unknown reason"])[0].removeprefix("raised from ")
    return (int(at[-1]) if at else 0), words[:200]
