"""Where Parquet parts lie: a folder of a file system, or of object storage. A part has its name when it is whole."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from razzsim.store import objects

_WRITING = ".writing"


class PartFolder(Protocol):
    """A folder of parts. Names are without the folder; a part's path is what the table `parts` keeps."""

    @property
    def filesystem(self) -> Any:
        """Arrow's, for what `begin` says; None: this machine's."""
        ...

    def begin(self, name: str) -> str:
        """Where to write a part."""
        ...

    def finish(self, name: str) -> tuple[str, int]:
        """Give a part that was written to its end its name; returns its path and bytes."""
        ...

    def path(self, name: str) -> str:
        """A part's path."""
        ...

    def names(self) -> list[str]:
        """All that lies there."""
        ...

    def delete(self, name: str) -> None:
        """Remove a part, or as much as was written of it."""
        ...

    def mark(self, name: str) -> None:
        """Make an empty file."""
        ...

    def has(self, name: str) -> bool:
        """Whether a file of this name is there."""
        ...

    def tidy(self) -> None:
        """Remove the folder if nothing lies in it."""
        ...


def part_folder(place: str | Path) -> PartFolder:
    """The folder at an absolute path or an s3:// URI."""
    return _ObjectFolder(str(place)) if objects.is_uri(place) else _LocalFolder(Path(place))


def readable(path: str) -> tuple[str, Any]:
    """A part's path as Arrow reads it, and its file system."""
    return (objects.path_of(path), objects.filesystem()) if objects.is_uri(path) else (path, None)


def delete_part(path: str) -> None:
    """Remove a part by its path."""
    folder, _, name = path.rpartition("/")
    part_folder(folder).delete(name)


class _LocalFolder:
    """A folder on this machine, or one that it shares. Parts have another name until they are on the disk."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def filesystem(self) -> None:
        return None

    def begin(self, name: str) -> str:
        self._folder.mkdir(parents=True, exist_ok=True)
        return str(self._folder / f"{name}{_WRITING}")

    def finish(self, name: str) -> tuple[str, int]:
        written = self._folder / f"{name}{_WRITING}"
        with written.open("rb") as file:
            os.fsync(file.fileno())
        path = written.rename(self._folder / name)
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(folder)  # the name, too, is on the disk before the database tells of it
        finally:
            os.close(folder)
        return str(path), path.stat().st_size

    def path(self, name: str) -> str:
        return str(self._folder / name)

    def names(self) -> list[str]:
        return sorted(file.name for file in self._folder.iterdir()) if self._folder.is_dir() else []

    def delete(self, name: str) -> None:
        for file in (self._folder / name, self._folder / f"{name}{_WRITING}"):
            file.unlink(missing_ok=True)

    def mark(self, name: str) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / name).touch()

    def has(self, name: str) -> bool:
        return (self._folder / name).exists()

    def tidy(self) -> None:
        with suppress(OSError):
            self._folder.rmdir()


class _ObjectFolder:
    """A folder of object storage. A part is there when its stream is closed, so that it needs no other name before."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    @property
    def filesystem(self) -> Any:
        return objects.filesystem()

    def begin(self, name: str) -> str:
        return objects.path_of(self.path(name))

    def finish(self, name: str) -> tuple[str, int]:
        path = self.path(name)
        with objects.reaching(path):
            return path, self.filesystem.get_file_info(objects.path_of(path)).size

    def path(self, name: str) -> str:
        return f"{self._folder}/{name}"

    def names(self) -> list[str]:
        return objects.names(self._folder)

    def delete(self, name: str) -> None:
        objects.delete(self.path(name))

    def mark(self, name: str) -> None:
        objects.write(self.path(name), b"")

    def has(self, name: str) -> bool:
        return objects.modified(self.path(name)) is not None

    def tidy(self) -> None:
        """Nothing: here are only names. (For a folder that got empty Arrow may leave an object of no bytes.)"""
