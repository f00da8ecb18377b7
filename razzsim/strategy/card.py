"""Whether a strategy can be used and what it declares: found out once, then kept as a card.

Finding out takes Numba (1 s to import, more to compile). A card is kept in the cache folder of this very engine, Numba
and Python, under a hash of all that makes the strategy, so it says nothing that would not be found out again.
Only strategies without a fault get one: what is wrong with the others is said by the compiler every time.
"""

import hashlib
import json
from contextlib import suppress
from functools import cache
from pathlib import Path

from razzsim.engine.jit_cache import cache_folder, write_once
from razzsim.strategy.declaration import Declaration
from razzsim.strategy.source import Source


@cache
def declaration_of(source: Source) -> Declaration:
    """What the source's strategy declares; it compiles. Raises StrategyError (with the line) when it cannot be used."""
    path = _path(source)
    if (declared := _read(path)) is None:
        from razzsim.strategy.loader import compiled, load

        entry, declared = compiled(source), load(source)
        if hasattr(entry, "signatures"):  # not with Numba switched off, when anything "compiles"
            _write(path, declared)
    return declared


def _path(source: Source) -> Path:
    facts = json.dumps([source.stem, source.function, source.text, source.kind])
    return cache_folder() / "cards" / f"{hashlib.sha256(facts.encode()).hexdigest()}.json"


def _read(path: Path) -> Declaration | None:
    """The card, None when there is none that is whole."""
    try:
        seal, _, body = path.read_text(encoding="utf-8").partition("\n")
    except (OSError, ValueError):
        return None
    if seal != _seal(path, body):
        return None
    name, doc, params, declares = json.loads(body)
    return Declaration(name, doc, params, tuple(declares))


def _write(path: Path, declared: Declaration) -> None:
    body = json.dumps([declared.name, declared.doc, dict(declared.params), declared.declares])
    with suppress(OSError):  # a card saves time, no more
        path.parent.mkdir(exist_ok=True)
        write_once(path, f"{_seal(path, body)}\n{body}")


def _seal(path: Path, body: str) -> str:
    return hashlib.sha256(f"{path.stem}\n{body}".encode()).hexdigest()
