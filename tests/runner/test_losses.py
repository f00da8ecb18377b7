"""What Ray says of a lost job, as outcomes: only what our own code raised is an error, and only a try counts as one."""

import pytest
from ray import exceptions

from razzsim.runner.cluster import _loss
from razzsim.runner.executor import Job

LOST = {
    "the worker died": (exceptions.RayActorError(), "worker_lost", True),
    "its node was taken away with notice": (exceptions.RayActorError(preempted=True), "worker_lost", False),
    "its answer went with its node": (exceptions.ObjectLostError("00", None, ""), "worker_lost", False),
    "it had no memory": (exceptions.OutOfMemoryError("x"), "worker_lost", True),
    "our code raised": (exceptions.RayTaskError("play", "KeyError: 1", KeyError(1)), "error", True),
}


@pytest.mark.parametrize("what", LOST)
def test_what_a_lost_job_comes_to(what: str) -> None:
    error, lost, blamed = LOST[what]
    outcome = _loss(Job(()), error)
    assert (outcome.lost, outcome.blamed) == (lost, blamed)
    assert outcome.message and "\n" not in outcome.message
