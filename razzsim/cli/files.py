"""Files that commands write: never over another, and whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from typer import BadParameter


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """A temporary name to write to, which becomes `path` when the block ends well."""
    if path.exists():
        raise BadParameter(f"{path} exists already", param_hint="--out")
    temporary = path.with_name(f"{path.name}.writing")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
