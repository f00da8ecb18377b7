"""Runs under fire: how far one is, who plays it, and what its result says, all seen from outside."""

import os
import random
import re
import signal
import socket
import time
import urllib.request
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from razzsim.plan import Chunk, plan_from_file
from razzsim.records import LEVELS
from razzsim.runner.jobs import Workbench
from razzsim.runner.rows import rows_of
from razzsim.store import CommittedChunk, Writer
from tests.runner.helpers import Rows, answers, rows
from tests.runner.test_interrupts import SIX, Driver, Start, wait_for

ROUNDS = int(os.environ.get("RAZZSIM_ROUNDS", "5"))
"""Blows a test deals; runs grow with it."""
PATIENCE_S = 180
# A worker plays a million deals while another process starts; a single round is the run of tests/runner.
SUMS: dict[str, Any] = {**SIX, "deals": 300_000 * (2 + ROUNDS)}
ROWS: dict[str, Any] = {**SIX, "deals": 16_384 * (2 + ROUNDS), "record": "actions", "chunk_groups": 256}
RUNS = {"sums": SUMS, "rows": ROWS}
SUMMED = ("group_sums", "group_cross", "behaviour", "positions", "start_hands", "top_pots", "line_ups", "standings")
WORKER = "ray::_Worker"

Tables = dict[str, Rows]
Blow = Callable[[], object]


def tables(path: Path) -> Tables:
    """All that a result says: summed tables, ranking, which chunks are committed, recorded rows by number and hash."""
    asked = {name: f"SELECT * FROM {name} ORDER BY ALL" for name in SUMMED}
    asked["chunks"] = "SELECT line_up, first_group, n_groups, n_hands, n_decisions FROM chunks ORDER BY ALL"
    asked |= {level: f"SELECT count(*), sum(hash(t)::HUGEINT) FROM {level} t" for level in LEVELS[1:]}
    return dict(zip(asked, answers(path, *asked.values()), strict=True))


def hands_of(path: Path) -> int:
    """Committed hands of a file that nobody writes."""
    return int(rows(path, "SELECT coalesce(sum(n_hands), 0) FROM chunks")[0][0])


def check_tables(path: Path, expected: Path, *without: str) -> None:
    """Against another result, table by table, so that a difference has a name."""
    theirs = tables(expected)
    for name, found in tables(path).items():
        assert name in without or found == theirs[name], name
    assert theirs["top_pots"] and theirs["behaviour"]


def check_played_again(path: Path, config: Path) -> None:
    """A run of sums that was stopped says what its very chunks say when this process plays them, each once.

    So an endless run can be compared, which no machine is so quick as to end before it is struck.
    """
    plan, again = plan_from_file(config), path.with_name("again.duckdb")
    bench, n_at_once = Workbench(plan), 256
    chunks = [Chunk(*row) for row in rows(path, "SELECT line_up, first_group, n_groups FROM chunks ORDER BY ALL")]
    with closing(Writer.create(again, *rows_of(plan))) as writer:
        for first in range(0, len(chunks), n_at_once):
            played = [bench.play(chunk).sums for chunk in chunks[first : first + n_at_once]]
            writer.commit([CommittedChunk(sums, "here", 1) for sums in played if sums is not None])
        writer.finish("stopped", "interrupted", 0.0)
    check_tables(path, again)


class Watched:
    """A `razzsim` process that tells on a port how far it is."""

    def __init__(self, start: Start, *arguments: object) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.driver: Driver = start(*arguments, "--metrics-port", self._port)

    def hands(self) -> int:
        """Committed hands; 0 before it has started."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/metrics", timeout=5) as answer:
                found = re.search(r"^razzsim_hands_total\S* (\S+)$", answer.read().decode(), re.MULTILINE)
        except OSError:
            return 0
        return int(float(found[1])) if found else 0

    def wait_for_hands(self, hands: int, *, or_end: bool = False) -> None:
        """Until more than so many are committed; or_end: or the run is over, and good."""

        def are_there() -> bool:
            if (code := self.driver.process.poll()) is not None:
                assert (code, or_end) == (0, True), self.driver.end()
                return True
            return self.hands() > hands

        wait_for(are_there, f"{hands} hands", PATIENCE_S)

    def recover(self, blow: Blow) -> float:
        """Seconds from the blow to the next commit."""
        hands, struck = self.hands(), time.monotonic()
        blow()
        self.wait_for_hands(hands, or_end=True)
        return time.monotonic() - struck

    def workers(self) -> list[int]:
        """Workers of its own Ray."""
        return [pid for pid, name in self.driver.processes().items() if name.startswith(WORKER)]

    def end(self) -> tuple[int, str]:
        """Exit code, and what it said on stderr."""
        self.driver.process.wait(PATIENCE_S)
        code, _, err = self.driver.end()
        return code, err


def moments(draw: random.Random, hands: int, n: int = ROUNDS) -> list[int]:
    """When to strike, as committed hands: once in each of n equal parts of the first third of the run.

    The rest is room: with two workers three times as fast as ours, a commit tells of 1.5 million hands at once.
    """
    part = hands // 3 // n
    return [part * i + draw.randrange(part) for i in range(n)]


def kill(pids: Iterable[int]) -> None:
    """SIGKILL, at once."""
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:  # it was about to end
            continue


def some(draw: random.Random, pids: Sequence[int]) -> list[int]:
    """One of them, or several."""
    return draw.sample(pids, draw.randint(1, len(pids)))


def check_nothing_is_left(driver: Driver, out: Path) -> None:
    """No process, nothing temporary, and beside the result at most its rows."""
    assert driver.left_behind() == ({}, [])
    assert list(driver.temporary.iterdir()) == []
    beside = {path.name for path in out.parent.glob(f"{out.stem}*")} - {f"{out.stem}.parts"}
    assert beside == {out.name}
    assert not list(out.parent.rglob("*.writing"))
