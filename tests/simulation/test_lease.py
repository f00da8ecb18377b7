"""The lease of results in object storage, by drivers that stop and wake up whenever a seed says so.

The lease is the real one; its objects lie in memory and its clock is simulated. A look and the upload after it are one
step here: docs/reliability.md tells what the gap between them can cost.
"""

import random
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from razzsim.store import lease as module
from razzsim.store.errors import HeldError, TakenOverError
from razzsim.store.lease import Lease

_STALE_S = 6.0


class Storage:
    """Objects with the time they were written at."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self._objects: dict[str, tuple[bytes, datetime]] = {}

    def write(self, place: str, content: bytes) -> None:
        self._objects[place] = content, self.now

    def read(self, place: str) -> bytes | None:
        return self._objects[place][0] if place in self._objects else None

    def modified(self, place: str) -> datetime | None:
        return self._objects[place][1] if place in self._objects else None

    def delete(self, place: str) -> None:
        self._objects.pop(place, None)


class Driver:
    """A holder of the lease, awake or suspended."""

    def __init__(self, storage: Storage) -> None:
        self.lease = Lease("s3://b/x.duckdb", "s3://b/x.attempt", 1.0)
        self.storage, self.last_beat = storage, storage.now

    def beat(self) -> None:
        self.lease.check()
        self.lease._write(self.lease._ours)
        self.last_beat = self.storage.now


def test_who_was_taken_over_uploads_nothing_and_who_lives_is_not_taken_over(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sum(n_taken_over(seed, monkeypatch) for seed in range(200)) > 200


def n_taken_over(seed: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Play one schedule and check it; how often a lease was taken from a driver that was silent."""
    draw, storage = random.Random(seed), Storage()
    functions = {name: getattr(storage, name) for name in ("write", "read", "modified", "delete")}
    monkeypatch.setattr(module, "objects", SimpleNamespace(**functions))
    drivers: list[Driver] = []
    holder: Driver | None = None
    n_taken = 0
    for _ in range(120):
        storage.now += timedelta(seconds=draw.uniform(0, 3))
        if draw.random() < 0.2:
            newcomer = Driver(storage)
            if holder and (storage.now - holder.last_beat).total_seconds() < _STALE_S:
                with pytest.raises(HeldError):
                    newcomer.lease.take()
            else:
                newcomer.lease.take()
                n_taken += holder is not None
                drivers.append(newcomer)
                holder = newcomer
        for driver in draw.sample(drivers, draw.randint(0, len(drivers))):  # the others are suspended
            if driver is not holder:
                with pytest.raises(TakenOverError):
                    driver.beat()
                with pytest.raises(TakenOverError):
                    driver.lease.release()  # says nothing in another's name
                drivers.remove(driver)
                continue
            driver.beat()
            if draw.random() < 0.05:
                driver.lease.release()
                drivers.remove(driver)
                holder = None
        if holder:
            holder.lease.check()
    return n_taken
