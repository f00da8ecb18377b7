"""What is made once and asked by tests of several folders: a Ray cluster, and results of runs that nobody disturbs."""

import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.runner.helpers import experiment, play, ray_cluster

# How long an example takes says how busy the machine is, and no more.
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")


@pytest.fixture(scope="session")
def ray_address() -> Iterator[str]:
    """One Ray cluster for all tests of this process that do not start or stop Ray themselves."""
    with ray_cluster() as address:
        yield address


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """The result of an experiment of these keys, played locally and once for all processes of the session."""
    own = tmp_path_factory.getbasetemp()
    shared = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "undisturbed"
    shared.mkdir(exist_ok=True)

    def result_of(**keys: Any) -> Path:
        name = hashlib.sha256(repr(sorted(keys.items())).encode()).hexdigest()[:16]
        with (shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            run = play(experiment(shared, name, **keys), f"{name}.duckdb", resume=True)
        assert run.status == "complete"
        return run.path

    return result_of
