"""Environment variables for a while: some libraries are told in no other way."""

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def environment(**values: str | None) -> Iterator[None]:
    """These values inside (None: not set), and afterwards what was there before."""
    before = {name: os.environ.get(name) for name in values}
    _set(values)
    try:
        yield
    finally:
        _set(before)


def _set(values: dict[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
