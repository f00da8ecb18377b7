"""Who writes a result in object storage, where no lock exists: an object that its driver writes again and again.

Others take over when it was not written for a while; who was taken over finds another's in its place, and stops.
Arrow offers no conditional writes, so that this is look, then write: of two that begin within the same moment both
may think for a moment that it is theirs. The later one's stays, and the other finds it at its next look.
"""

import json
import os
import socket
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from threading import Event, Thread

from razzsim.store import objects
from razzsim.store.errors import DiskError, HeldError, TakenOverError

_BEATS = 6
"""Signs of life that may fail before others take over."""
_MIN_BEAT_S = 1.0
"""The server's clock tells seconds."""


@dataclass(frozen=True)
class Attempt:
    """What the object holds. stale_s: others may take over when it was not written for so long."""

    id: str
    host: str
    pid: int
    since: str
    stale_s: float
    has_ended: bool = False

    def __str__(self) -> str:
        return f"{self.host} {self.pid}"


class Lease:
    """That this process writes a result."""

    def __init__(self, uri: str, place: str, beat_s: float) -> None:
        """uri: the result's, for its words; place: the object's; beat_s: between two signs of life."""
        self._uri, self._place, self._beat_s = uri, place, max(beat_s, _MIN_BEAT_S)
        since = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC"
        self._ours = Attempt(uuid.uuid4().hex, socket.gethostname(), os.getpid(), since, _BEATS * self._beat_s)

    def refuse_held(self) -> None:
        """Raise HeldError when another driver writes the result."""
        holder = self._holder()
        if holder is None or holder.has_ended:
            return
        age_s = self._age_s()
        if age_s < holder.stale_s:
            raise HeldError(
                f"{self._uri}: is written by {holder} since {holder.since}, heard of {age_s:.0f} s ago: choose another "
                f"--out, or, if that driver is dead, try again in {holder.stale_s - age_s:.0f} s"
            )

    def take(self) -> None:
        """Begin to hold it. Raises HeldError when another driver does, TakenOverError when one came right after us."""
        self.refuse_held()
        self._write(self._ours)
        self.check()

    def check(self) -> None:
        """Raise TakenOverError unless it is still ours."""
        holder = self._holder()
        if holder is None:
            raise TakenOverError(f"{self._uri}: {self._place} was removed: another driver may write; stopped")
        if holder.id != self._ours.id:
            raise TakenOverError(f"{self._uri}: another driver took over: {holder} at {holder.since}; stopped")

    @contextmanager
    def held(self) -> Iterator[None]:
        """Take it, give signs of life from a thread of its own as long as the block lasts, and release it."""
        self.take()
        try:
            with self._beating():
                yield
        except TakenOverError:
            raise
        except BaseException:
            self.release()
            raise
        self.release()

    @contextmanager
    def _beating(self) -> Iterator[None]:
        may_end = Event()
        thread = Thread(target=self._beat, args=(may_end,), name="lease", daemon=True)
        thread.start()
        try:
            yield
        finally:
            may_end.set()
            thread.join()

    def _beat(self, may_end: Event) -> None:
        while not may_end.wait(self._beat_s):
            try:
                self.check()
                self._write(self._ours)
            except TakenOverError:
                return  # who writes finds out before the next upload
            except DiskError:
                continue  # the next one may arrive

    def release(self) -> None:
        """Say that nobody writes any more. The object stays: who was taken over by us must find it."""
        with suppress(DiskError):  # what was to be written is, and others will find it silent
            self.check()
            self._write(replace(self._ours, has_ended=True))

    def _write(self, attempt: Attempt) -> None:
        objects.write(self._place, json.dumps(asdict(attempt)).encode())

    def _holder(self) -> Attempt | None:
        content = objects.read(self._place)
        try:
            return None if content is None else Attempt(**json.loads(content))
        except (ValueError, TypeError):
            raise HeldError(f"{self._place}: is not what razzsim writes there: remove it, or choose another") from None

    def _age_s(self) -> float:
        """Seconds since the last sign of life, by the server's clock alone: ours may be wrong."""
        clock = f"{self._place}.clock"
        objects.write(clock, b"")
        now, then = objects.modified(clock), objects.modified(self._place)
        objects.delete(clock)
        return (now - then).total_seconds() if now and then else 0.0
