"""Imports when they are asked for, so that a command pays for what it uses alone; and cheaper ones."""

import gc
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazily(package: str, places: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package: its name -> MODULE, or MODULE:NAME where it has another name there."""

    def get(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, there = places[name].partition(":")
        return getattr(import_module(module), there or name)

    return get


def collect_seldom() -> None:
    """In a program of ours, look for garbage after 100,000 new objects, not 700.

    Libraries make many while they are loaded and drop none: the looking took a tenth of the start.
    """
    gc.set_threshold(100_000)
