"""Private temporary folders that leave nothing behind: those of killed processes go with the next one made."""

import fcntl
import os
import shutil
import stat
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path

_LOCK = "driver.lock"


class Scratch:
    """A folder that is removed when it is closed, forgotten, or this process ends."""

    def __init__(self, prefix: str, base: str | None = None) -> None:
        """base: where to make it; default: the place for temporary files."""
        base = base or tempfile.gettempdir()
        _sweep(Path(base), prefix)
        lock = None
        while lock is None:  # one that sweeps may come between the making and the locking, and remove it
            self.path = Path(tempfile.mkdtemp(prefix=prefix, dir=base))
            with suppress(OSError):
                lock = _locked(self.path / _LOCK, os.O_CREAT | os.O_EXCL)
        self._removal = weakref.finalize(self, _remove, self.path, lock)

    def close(self) -> None:
        """Remove it."""
        self._removal()

    def keep(self) -> None:
        """Leave it where it is, for good: it holds what is nowhere else."""
        self._removal.detach()
        (self.path / _LOCK).unlink(missing_ok=True)


def _remove(folder: Path, lock: int) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    os.close(lock)


def _locked(path: Path, flags: int = 0) -> int | None:
    """The open file, locked until it is closed or this process ends; None when another process has it.

    It is never emptied, nor followed as a link: others may write where temporary files are.
    """
    file = os.open(path, os.O_RDWR | os.O_NOFOLLOW | flags, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        return None
    return file


def _sweep(base: Path, prefix: str) -> None:
    """Remove the folders of this user's drivers that were killed: those whose lock nobody holds."""
    for folder in base.glob(f"{prefix}*"):
        with suppress(OSError):
            told = folder.lstat()
            if not stat.S_ISDIR(told.st_mode) or told.st_uid != os.geteuid():
                continue
            if (lock := _locked(folder / _LOCK)) is not None:
                _remove(folder, lock)
