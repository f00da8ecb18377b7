"""Whether all nodes of a cluster see the folder that a run's rows go to: one that does not would write them to its own
disk, where nobody finds them.
"""

import socket
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from razzsim.runner.executor import ExecutorError, Task
from razzsim.store import DiskError
from razzsim.store.part_folder import part_folder


@contextmanager
def shared_with_workers(task: Task, run_id: str, address: str | None) -> Iterator[Task]:
    """The task with a token in its folder, which every worker of a cluster looks for before it records anything.

    address: the cluster's; None: all workers are on this machine.
    """
    if task.folder is None or address is None:
        yield task
        return
    folder, token = part_folder(task.folder), f"token-{run_id}-{uuid.uuid4().hex[:8]}"
    folder.mark(token)
    try:
        yield replace(task, token=token)
    finally:
        folder.delete(token)
        folder.tidy()


def check_shared(task: Task) -> None:
    """Raise ExecutorError when this worker does not see the token."""
    assert task.folder is not None
    if task.token is None:
        return
    try:
        if part_folder(task.folder).has(task.token):
            return
        said = f"does not see {task.folder}, where the rows go"
    except DiskError as error:
        said = str(error)
    raise ExecutorError(
        f"node {socket.gethostname()}: {said}: it needs the same shared folder, or s3:// and its variables (AWS_...)"
    )
