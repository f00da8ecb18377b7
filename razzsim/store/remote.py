"""A result in object storage: KEY.duckdb, KEY.snapshot.duckdb while a run writes, KEY.parts/ and KEY.attempt."""

from datetime import datetime
from pathlib import Path

from razzsim.store import objects
from razzsim.store.database import SNAPSHOT
from razzsim.store.errors import NotAResultError, StoreError
from razzsim.store.reader import Reader

_SUFFIX = ".duckdb"


class Remote:
    """Its names, and the copies of a database that come from there and go there."""

    def __init__(self, uri: str) -> None:
        """Raises StoreError for a URI that no result can have."""
        bucket, _, key = objects.path_of(uri).partition("/")
        name = key.rpartition("/")[2].removesuffix(_SUFFIX)
        if not bucket or not name or not key.endswith(_SUFFIX) or key.endswith(SNAPSHOT):
            raise StoreError(f"{uri}: is not allowed: s3://BUCKET/KEY.duckdb")
        self.uri, self.file_name = uri, f"{name}{_SUFFIX}"
        stem = uri.removesuffix(_SUFFIX)
        self.snapshot, self.parts, self.attempt = f"{stem}{SNAPSHOT}", f"{stem}.parts", f"{stem}.attempt"
        self._seen: tuple[datetime, str] | None = None

    def fetch(self, path: Path) -> bool:
        """Download the newest database into a new file; False when there is none.

        That is the snapshot while a run writes and after its driver was killed. Who ended well leaves the result, and
        no snapshot. Raises NotAResultError when it is something else.
        """
        self._seen = self._newest()
        if self._seen is None or not objects.get(self._seen[1], path):
            return False
        try:
            Reader(path).close()
        except NotAResultError as error:
            raise NotAResultError(str(error).replace(str(path), self._seen[1])) from None
        return True

    def has_changed(self) -> bool:
        """Whether there is a newer one than `fetch` has found."""
        return self._newest() != self._seen

    def _newest(self) -> tuple[datetime, str] | None:
        times = [(objects.modified(uri), uri) for uri in (self.snapshot, self.uri)]
        return max(((at, uri) for at, uri in times if at), default=None, key=lambda found: found[0])

    def must_be_there(self, path: Path) -> None:
        """Download as `fetch` does. Raises NotAResultError when there is none."""
        if not self.fetch(path):
            raise NotAResultError(f"{self.uri}: there is no such result, nor a snapshot of one")

    def put_snapshot(self, path: Path) -> None:
        """Let others see a run that goes on."""
        objects.put(path, self.snapshot)

    def put_result(self, path: Path) -> None:
        """Let others see a run that has ended."""
        objects.put(path, self.uri)
        objects.delete(self.snapshot)
