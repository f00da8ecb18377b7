"""Reading result files: anybody, any time, without touching anything else on the disk."""

import logging
from pathlib import Path
from typing import Any

from razzsim.records import SCHEMA_VERSION
from razzsim.store import database
from razzsim.store.errors import HeldError, NotAResultError, StoreError
from razzsim.store.questions import CLOSED, Questions, lock_down, parts_of

_log = logging.getLogger(__name__)


class Reader(Questions):
    """Queries on a result file; while a run writes it, on its last snapshot."""

    def __init__(self, path: str | Path, *, migrates: bool = True) -> None:
        """Raises NotAResultError when there is nothing to read, HeldError when a run has no snapshot yet.

        migrates: bring an older file up to date; else, and while it is written, it is read with what it has.
        """
        self.path = Path(path)
        self.held: HeldError | None = None
        """Says who writes the file, when this reads its snapshot."""
        connection = self._open()
        try:
            version = database.schema_version(connection, self.path)
            if version < SCHEMA_VERSION and migrates and not self.is_snapshot:
                connection.close()
                backup = database.migrate(self.path, version)
                said = "%s: brought from schema version %d to %d; as it was: %s"
                _log.warning(said, path, version, SCHEMA_VERSION, backup)
                version, connection = SCHEMA_VERSION, self._open()
            parts = parts_of(connection, self.path) if version == SCHEMA_VERSION else {}
            lock_down(connection, parts)
        except BaseException:
            connection.close()
            raise
        super().__init__(connection, parts)
        self._named = str(self.source)

    @property
    def is_snapshot(self) -> bool:
        """Whether this is the copy of a file that is being written."""
        return self.held is not None

    @property
    def source(self) -> Path:
        """The file that is read: its own, or its snapshot."""
        return database.snapshot_path(self.path) if self.is_snapshot else self.path

    def _open(self) -> database.Connection:
        """The file itself, or its snapshot; a run that ends at this moment takes its snapshot with it."""
        snapshot = database.snapshot_path(self.path)
        for path in (self.path, snapshot, self.path):
            try:
                connection = database.connect(path, read_only=True, config=CLOSED)
            except HeldError as error:
                self.held = self.held or error
            except StoreError as error:
                if path == self.path:
                    raise
                if path.exists():
                    self.held = HeldError(f"{self.held}; {error}; the run replaces it within seconds")
            else:
                self.held = self.held if path == snapshot else None
                return connection
        assert self.held
        raise self.held

    def run_row(self, run_id: str | None = None, hint: str = "name one with --run") -> dict[str, Any]:
        """The row of a run, or of the file's only one. Raises NotAResultError when there is none, or which is open.

        hint: what to do when there are several.
        """
        rows: list[dict[str, Any]] = self.query("SELECT * FROM runs ORDER BY run_id").to_pylist()
        named = [row for row in rows if run_id in (None, row["run_id"])]
        if len(named) != 1:
            ids = ", ".join(row["run_id"] for row in rows) or "none"
            what = f"has no run {run_id}" if run_id else f"holds {len(rows)} runs, {hint}"
            raise NotAResultError(f"{self.path}: {what}; there are: {ids}")
        return named[0]
