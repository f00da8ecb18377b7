"""What the writer has written, told as events."""

import logging
from collections.abc import Sequence
from typing import Any

from razzsim import events


def tell_commit(run_id: str, headers: Sequence[dict[str, int]]) -> None:
    """One event a commit; line_up and first_group are those of its last chunk, for all stand in the table chunks.

    One a chunk would be a thousand lines a second on a thousand cores.
    """
    if not headers:
        return
    hands, n, last = sum(header["n_hands"] for header in headers), len(headers), headers[-1]
    key = {name: last[name] for name in ("line_up", "first_group")}
    events.tell("commit", f"{n} chunks, {hands:,} hands", run=run_id, **key, n_chunks=n, n_hands=hands)


def tell_failure(row: dict[str, Any]) -> None:
    """One event a row of failures."""
    facts = {name: value for name, value in row.items() if name != "run_id" and value is not None}
    message = f"{facts['outcome']}: {facts.pop('message', 'nothing was said')}"
    events.tell("failure", message, logging.WARNING, run=row["run_id"], **facts)
