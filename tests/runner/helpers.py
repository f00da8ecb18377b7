"""What tests of whole runs share: experiments in a temporary folder, their sums, and a Ray cluster of their own."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

from razzsim.plan import Plan
from razzsim.runner import open_run, session
from razzsim.runner.rows import rows_of
from razzsim.store import Reader, Writer
from razzsim.store.database import Connection, create_schema

TABLE = {"seats": 2, "ante": 3, "bring_in": 5, "small_bet": 20, "big_bet": 40}
DICE = [{"strategy": "loose"}, {"strategy": "random"}]
FAILING = '''"""Station that fails on some deals."""
from razzsim.strategy import CALL, FOLD, RAISE, strategy

@strategy()
def failing(me, table, p):
    if {when}:
        {then}
    return CALL
'''

Rows = list[tuple[Any, ...]]


def experiment(folder: Path, name: str = "x", /, **keys: Any) -> Path:
    """An experiment file; without other keys a heads-up match of two strategies that use dice.

    Chunks are few unless asked for: each takes a commit, and up to three files of 10 ms where rows are recorded.
    Without rows there are 32 batches, from which on errors come from batch totals.
    """
    if keys.get("deals", 500) <= 2048:
        least = 128 if "record" in keys else 16
        keys = {"batch_groups": max(least, keys.get("chunk_groups") or 1), **keys}
    whole = {"seed": 20_260_101, "table": TABLE, "entrants": DICE, "schedule": "heads_up", "deals": 500, **keys}
    whole = {key: value for key, value in whole.items() if value is not None}
    file = folder / f"{name}.yaml"
    file.write_text(yaml.safe_dump(whole))
    return file


def failing(folder: Path, when: str, then: str, name: str = "failing") -> dict[str, Any]:
    """An entrant that calls, except where `when` holds."""
    file = folder / f"{name}.py"
    file.write_text(FAILING.format(when=when, then=then))
    return {"strategy": f"{name}.py", "name": name}


def rows(path: Path, sql: str) -> Rows:
    """The rows of a query."""
    return answers(path, sql)[0]


def answers(path: Path, *questions: str) -> list[Rows]:
    """The rows of several queries of a file that is opened once, which takes 50 ms of CPU."""
    with Reader(path) as reader:
        return [[tuple(row.values()) for row in reader.query(sql).to_pylist()] for sql in questions]


def sums(path: Path) -> list[Rows]:
    """All that a result says: sums of every batch, products, and the ranking."""
    return answers(path, *(f"SELECT * FROM {name} ORDER BY ALL" for name in ("group_sums", "group_cross", "standings")))


def play(config: Path, out: str, **options: Any) -> session.Run:
    """Play in this process, without Ray unless asked to."""
    return session.run(config, config.parent / out, session.Options(**{"local": True, **options}))


def unplayed_runs(file: Path, plan: Plan, n: int) -> Connection:
    """A database in memory that holds n runs of the plan, '0' to 'n - 1', of which nothing is played.

    file: where one is written first, to be copied.
    """
    Writer.create(file, *rows_of(plan)).close()
    connection = duckdb.connect(":memory:")
    create_schema(connection)
    connection.execute(f"ATTACH '{file}' AS file (READ_ONLY)")
    for table in ("runs", "entrants", "line_ups"):
        copy = f"SELECT t.* REPLACE (i::VARCHAR AS run_id) FROM file.{table} t, range({n}) numbers(i)"
        connection.execute(f"INSERT INTO {table} {copy}")
    return connection


def play_interrupted(config: Path, out: str, after_hands: int) -> session.Run:
    """Ctrl-C, once, as soon as so many hands are committed.

    What comes back is committed at once: a run that is over within a quarter of a second, or within ten times as long
    as a commit takes, is struck, too.
    """
    sent = []

    def watch(progress: Any) -> None:
        if progress.hands >= after_hands and not sent:
            sent.append(progress)
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(open_run, "COMMIT_EVERY_S", 0.0)
        patch.setattr(open_run, "_COMMIT_SHARE", 0)
        return session.run(config, config.parent / out, session.Options(local=True), session.Watch(progress=watch))


def new_cluster(n_cpus: int, **head: Any) -> Any:
    """A Ray cluster on this machine; as with a private Ray of ours, its head starts nothing that nobody looks at."""
    from ray.cluster_utils import Cluster

    from razzsim.runner.ray_node import _quicker_head  # here, for it comes with Ray

    args = {"num_cpus": n_cpus, "object_store_memory": 80 << 20, **head}
    with _quicker_head():
        return Cluster(initialize_head=True, head_node_args=args)


@contextmanager
def ray_cluster() -> Iterator[str]:
    """The address of a Ray cluster on this machine, for runs that need not start one each."""
    cluster = new_cluster(2)
    try:
        yield cluster.address
    finally:
        cluster.shutdown()
