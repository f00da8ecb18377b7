"""Where the result of a run goes: a file, or object storage by way of a private file."""

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from razzsim.store import DiskError, HeldError
from razzsim.store.errors import LowSpaceError, TakenOverError
from razzsim.store.objects import is_uri

if TYPE_CHECKING:
    from razzsim.plan import Plan
    from razzsim.runner.scratch import Scratch
    from razzsim.store import Writer
    from razzsim.store.lease import Lease
    from razzsim.store.remote import Remote

    AnyWriter = TypeVar("AnyWriter", bound=Writer)


@dataclass(frozen=True)
class Output:
    """A result that a run writes into this file; as text what the user calls it."""

    path: Path

    def __str__(self) -> str:
        return str(self.path)

    @property
    def parts(self) -> str:
        """The folder of its rows, for workers anywhere."""
        from razzsim.store.database import parts_folder

        return str(parts_folder(self.path))

    def left_by_a_driver(self) -> bool:
        """Whether something lies beside a complete run that its driver, if it was killed, did not remove."""
        from razzsim.store import Reader
        from razzsim.store.database import parts_folder, snapshot_path

        with Reader(self.path) as reader:
            listed = {Path(row["path"]).name for row in reader.query("SELECT path FROM parts").to_pylist()}
        folder = parts_folder(self.path)
        there = {file.name for file in folder.iterdir()} if folder.is_dir() else set()
        return snapshot_path(self.path).exists() or bool(there - listed)

    @contextmanager
    def writer(self, plan: "Plan", *, is_new: bool, label: str | None = None) -> "Iterator[Writer]":
        """The writer of a new result, or of one that goes on."""
        from razzsim.store import Writer

        with closing(self._opened(Writer, plan, is_new=is_new, label=label)) as writer:
            yield writer

    def _opened(self, kind: "type[AnyWriter]", plan: "Plan", *, is_new: bool, label: str | None = None) -> "AnyWriter":
        if is_new:
            from razzsim.runner.rows import rows_of

            return kind.create(self.path, *rows_of(plan, label), parts=self.parts)
        writer = kind.open(self.path, plan.run_id, self.parts)
        try:
            writer.make_parts_own()
            writer.begin_attempt(socket.gethostname(), plan.deals, plan.to_json())
        except BaseException:
            writer.close()
            raise
        return writer


@dataclass(frozen=True)
class RemoteOutput(Output):
    """One in object storage. The file is a copy of what was there, if anything was, in a folder that goes with this."""

    remote: "Remote"
    scratch: "Scratch"

    def __str__(self) -> str:
        return self.remote.uri

    @property
    def parts(self) -> str:
        """The folder of its rows, for workers anywhere."""
        return self.remote.parts

    def left_by_a_driver(self) -> bool:
        """Nothing does: the copy is a private one."""
        return False

    @contextmanager
    def writer(self, plan: "Plan", *, is_new: bool, label: str | None = None) -> "Iterator[Writer]":
        """The writer of the copy, uploaded at the end however it comes: only who was taken over leaves no trace."""
        from razzsim.store.uploads import UploadingWriter

        lease = _lease(self.remote, plan.snapshot_s)
        with lease.held():
            if self.remote.has_changed():
                raise HeldError(f"{self}: another driver has just written it: try again")
            writer = self._opened(UploadingWriter, plan, is_new=is_new, label=label)
            writer.belongs_to(self.remote, lease)
            try:
                with closing(writer):
                    yield writer
            except TakenOverError:
                raise
            except DiskError as error:
                if not isinstance(error, LowSpaceError):  # else the copy is in order
                    raise self._kept(error) from None
                self._upload(lease)
                raise
            except BaseException:
                self._upload(lease)
                raise
            self._upload(lease)

    def _upload(self, lease: "Lease") -> None:
        try:
            lease.check()
            self.remote.put_result(self.path)
        except DiskError as error:
            raise self._kept(error) from None

    def _kept(self, error: DiskError) -> DiskError:
        """The error, with where the file is that could not be uploaded."""
        self.scratch.keep()
        return DiskError(f"{error}; what was played is kept in {self.path}")


def output_of(place: str | Path, *, must_exist: bool = False) -> Output:
    """Where a result is to be written. Of one in object storage what is there is fetched.

    Raises HeldError when another driver writes it there, NotAResultError when it must exist and does not.
    """
    if not is_uri(place):
        return Output(Path(place))
    from razzsim.runner.scratch import Scratch
    from razzsim.store.remote import Remote

    remote = Remote(str(place))
    _lease(remote).refuse_held()
    scratch = Scratch("razzsim-out-")
    output = RemoteOutput(scratch.path / remote.file_name, remote, scratch)
    (remote.must_be_there if must_exist else remote.fetch)(output.path)
    return output


def _lease(remote: "Remote", beat_s: float = 1.0) -> "Lease":
    from razzsim.store.lease import Lease

    return Lease(remote.uri, remote.attempt, beat_s)
