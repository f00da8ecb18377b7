"""Private temporary folders that leave nothing behind: those of killed processes go with the next one made."""

import fcntl
import shutil
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path
from typing import IO

_LOCK = "driver.lock"


class Scratch:
    """A folder that is removed when it is closed, forgotten, or this process ends."""

    def __init__(self, prefix: str, base: str | None = None) -> None:
        """base: where to make it; default: the place for temporary files."""
        base = base or tempfile.gettempdir()
        _sweep(Path(base), prefix)
        self.path = Path(tempfile.mkdtemp(prefix=prefix, dir=base))
        self._lock = _locked(self.path / _LOCK)
        self._removal = weakref.finalize(self, _remove, self.path, self._lock)

    def close(self) -> None:
        """Remove it."""
        self._removal()

    def keep(self) -> None:
        """Leave it where it is, for good: it holds what is nowhere else."""
        self._removal.detach()
        (self.path / _LOCK).unlink(missing_ok=True)


def _remove(folder: Path, lock: IO[str] | None) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    if lock:
        lock.close()


def _locked(path: Path) -> IO[str] | None:
    """The file, locked until it is closed or this process ends; None when another process has it."""
    file = path.open("w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return None
    return file


def _sweep(base: Path, prefix: str) -> None:
    """Remove the folders of drivers that were killed: those whose lock nobody holds."""
    for lock in base.glob(f"{prefix}*/{_LOCK}"):
        with suppress(OSError):
            if held := _locked(lock):
                shutil.rmtree(lock.parent, ignore_errors=True)
                held.close()
