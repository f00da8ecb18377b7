"""One Ray cluster for all tests of this folder that do not start or stop Ray themselves."""

from collections.abc import Iterator

import pytest

from tests.runner.helpers import ray_cluster


@pytest.fixture(scope="session")
def ray_address() -> Iterator[str]:
    with ray_cluster() as address:
        yield address
