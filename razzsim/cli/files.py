"""Files that commands write: never over another unless told to, and whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from typer import BadParameter


@contextmanager
def new_file(path: Path, *, replace: bool = False) -> Iterator[Path]:
    """A temporary name to write to, which becomes `path` when the block ends well. replace: another may be there."""
    if path.exists() and not replace:
        raise BadParameter(f"{path} exists already", param_hint="--out")
    temporary = path.with_name(f"{path.name}.writing")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
