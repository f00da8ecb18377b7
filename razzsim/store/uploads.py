"""The writer of a result in object storage: it writes a private copy, and uploads that as long as the lease is ours."""

from razzsim.store import database
from razzsim.store.lease import Lease
from razzsim.store.remote import Remote
from razzsim.store.writer import Writer


class UploadingWriter(Writer):
    """Its snapshots are uploaded. Raises TakenOverError where another driver might be hurt."""

    remote: Remote
    lease: Lease

    def belongs_to(self, remote: Remote, lease: Lease) -> None:
        """Say where it is uploaded; to be called before anything else."""
        self.remote, self.lease = remote, lease

    def snapshot(self) -> None:
        """Replace the copy that others read while this run writes."""
        super().snapshot()
        self.lease.check()
        self.remote.put_snapshot(database.snapshot_path(self.path))

    def sweep_parts(self) -> None:
        """Remove files of rows that were never committed."""
        self.lease.check()  # what we do not know of may be another's
        super().sweep_parts()
