"""Results in object storage, copied to where they can be read."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from razzsim.store import objects
from razzsim.store.database import parts_folder
from razzsim.store.errors import DiskError, StoreError
from razzsim.store.reader import Reader
from razzsim.store.remote import Remote
from razzsim.store.writer import Writer


@contextmanager
def local_copy(place: str | Path) -> Iterator[Path]:
    """A result's file; of one in object storage a copy, without its rows, for as long as the block lasts."""
    if not objects.is_uri(place):
        yield Path(place)
        return
    remote = Remote(str(place))
    with tempfile.TemporaryDirectory(prefix="razzsim-copy-") as folder:
        path = Path(folder) / remote.file_name
        remote.must_be_there(path)
        yield path


def fetch(uri: str, folder: Path) -> tuple[Path, int]:
    """Copy a result, or the snapshot of one, with its rows into a folder, or nothing; returns file and parts.

    Raises StoreError kinds.
    """
    remote = Remote(uri)
    path = folder / remote.file_name
    if not folder.is_dir():
        raise StoreError(f"{folder}: is no folder: make it first, or choose another")
    for target in (path, parts_folder(path)):
        if target.exists():
            raise StoreError(f"{target}: exists already: move it away, or choose another folder")
    try:
        with tempfile.TemporaryDirectory(prefix=f".{path.stem}-", dir=folder) as made:
            copy = Path(made) / path.name
            remote.must_be_there(copy)
            n_parts = _fetch_parts(remote, copy)
            if n_parts:
                shutil.move(parts_folder(copy), parts_folder(path))
            shutil.move(copy, path)
    except OSError as error:
        raise DiskError(f"{folder}: cannot be written: {(error.strerror or str(error)).lower()}") from None
    _show_parts(path)
    return path, n_parts


def _fetch_parts(remote: Remote, copy: Path) -> int:
    """Those that the database lists, from beside it."""
    with Reader(copy) as reader:
        listed = reader.query("SELECT path, n_bytes FROM parts ORDER BY path").to_pylist()
    folder = parts_folder(copy)
    for part in listed:
        folder.mkdir(exist_ok=True)
        name = PurePosixPath(part["path"]).name
        if not objects.get(f"{remote.parts}/{name}", folder / name):
            raise StoreError(f"{remote.parts}/{name}: is gone; the run went on meanwhile: fetch it again")
        if (size := (folder / name).stat().st_size) != part["n_bytes"]:
            raise DiskError(f"{folder / name}: has {size} of {part['n_bytes']} bytes: is there room on the disk?")
    return len(listed)


def _show_parts(path: Path) -> None:
    """Let the copy's own views show its rows where they are now, for whoever opens it without razzsim."""
    with Reader(path) as reader:
        runs = [row["run_id"] for row in reader.query("SELECT run_id FROM runs").to_pylist()]
    for run in runs:
        writer = Writer.open(path, run)
        try:
            writer.show_parts()
        finally:
            writer.close()
