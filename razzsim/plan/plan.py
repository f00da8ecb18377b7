"""A plan: everything that decides the numbers, resolved; its fingerprint; and its chunks as arithmetic."""

import hashlib
import heapq
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from math import gcd
from typing import Any

from razzsim.engine import ENGINE_VERSION
from razzsim.strategy.source import Source

MAX_DEALS = 1 << 48

TableLimits = dict[str, Any]
"""seats, ante, bring_in, small_bet, big_bet (chips) and stacks (chips by seat)."""

Gaps = Callable[[int, int], Sequence[tuple[int, int]]]
"""Of a line-up and its number of deals: those that are not played yet, as rising intervals (first, end)."""

_DECISIONS = {2: 3, 3: 7, 4: 11, 5: 15, 6: 20, 7: 24, 8: 29}
"""Decisions of a hand by number of seats, a round figure for sizing batches."""
_BUDGET = 1 << 24
"""Decisions of a batch of compiled strategies: about a second of one core."""
_MIN_BATCHES = 64


@dataclass(frozen=True)
class PlannedEntrant:
    """A strategy with its parameters, and the text it is made from."""

    name: str
    source: Source
    params: Mapping[str, float | int | bool]
    count: int

    @property
    def kind(self) -> str:
        """What its strategy is: compiled or chart."""
        return self.source.kind


@dataclass(frozen=True)
class LineUp:
    """Entrants that share a table: their numbers by copy, under one structure."""

    number: int
    structure: str
    entrants: tuple[int, ...]
    rotations: int

    @cached_property
    def places(self) -> tuple[int, ...]:
        """The different entrants, rising: rows of the sums."""
        return tuple(sorted(set(self.entrants)))


@dataclass(frozen=True)
class Chunk:
    """Groups that a worker plays in one go: deals first_group .. first_group + n_groups of a line-up."""

    line_up: int
    first_group: int
    n_groups: int


@dataclass(frozen=True)
class Shard:
    """A part of a plan that is played by itself: the chunks k of the plan, in its order, with k mod of = number - 1."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"shard {self.number} of {self.of}"


@dataclass(frozen=True)
class Plan:
    """An experiment with nothing left to look up. Chunks are never a list: they follow from the numbers."""

    name: str
    config: str
    seed: int
    game: str
    rules: Mapping[str, Any]
    structures: Mapping[str, TableLimits]
    entrants: tuple[PlannedEntrant, ...]
    line_ups: tuple[LineUp, ...]
    schedule: str
    deals: int
    batch_groups: int
    chunk_groups: int
    on_error: str
    limits: Mapping[str, float]
    snapshot_s: float
    record: Mapping[str, Any]
    """level, and sample: the share of the deals."""
    shard: Shard | None = None
    """What of it is played here; None: all. Like the number of deals, it decides no number of a deal."""

    @property
    def facts(self) -> dict[str, Any]:
        """What decides the numbers, and nothing else: what the fingerprint is made of."""
        return {
            "engine_version": ENGINE_VERSION,
            "seed": self.seed,
            "game": self.game,
            "rules": dict(self.rules),
            "table": [[name, dict(limits)] for name, limits in self.structures.items()],  # line-ups follow this order
            "entrants": [
                [e.name, e.kind, e.count, dict(e.params), e.source.sha256, e.source.function, []] for e in self.entrants
            ],
            "schedule": self.schedule,
            "session": 1,
            "batch_groups": self.batch_groups,
            "control_variate": False,
        }

    @cached_property
    def fingerprint(self) -> str:
        """sha256 of the facts as sorted JSON without spaces."""
        return hashlib.sha256(json.dumps(self.facts, sort_keys=True, separators=(",", ":")).encode()).hexdigest()

    @property
    def run_id(self) -> str:
        """The first 12 hex digits of the fingerprint: the same plan is the same run."""
        return self.fingerprint[:12]

    @cached_property
    def n_chunks(self) -> int:
        """Number of chunks of all line-ups."""
        return self.count_chunks(self._nothing_played)

    @cached_property
    def n_groups(self) -> int:
        """Number of deals of all line-ups."""
        return sum(self._groups_of(line_up) for line_up in self.line_ups)

    @cached_property
    def hands(self) -> int:
        """Number of hands."""
        return sum(self._groups_of(line_up) * line_up.rotations for line_up in self.line_ups)

    def chunks(self, gaps: Gaps | None = None) -> Iterator[Chunk]:
        """What of the gaps is to be played, cut at the grid of chunk_groups; by first deal, then line-up, so that
        every line-up grows evenly.
        """
        gaps = gaps or self._nothing_played
        of_each = (self._chunks_of(line_up.number, gaps(line_up.number, self.deals)) for line_up in self.line_ups)
        return heapq.merge(*of_each, key=lambda chunk: chunk.first_group)

    def count_chunks(self, gaps: Gaps) -> int:
        """How many `chunks` gives, without making them."""
        numbers = (line_up.number for line_up in self.line_ups)
        return sum(len(self._cells(number, *gap)) for number in numbers for gap in gaps(number, self.deals))

    def _chunks_of(self, line_up: int, gaps: Sequence[tuple[int, int]]) -> Iterator[Chunk]:
        for first, end in gaps:
            for cell in self._cells(line_up, first, end):
                start = max(first, cell * self.chunk_groups)
                yield Chunk(line_up, start, min(end, (cell + 1) * self.chunk_groups) - start)

    def _cells(self, line_up: int, first: int, end: int) -> range:
        """Cells of the grid that hold deals first .. end - 1 and are played here."""
        start, step = 0, 1
        if self.shard:
            # Cell x of line-up i is chunk k = x * n_line_ups + i of the plan; solved for x: k mod of = number - 1.
            common = gcd(len(self.line_ups), self.shard.of)
            times, rest = divmod(self.shard.number - 1 - line_up, common)
            if rest:
                return range(0)
            step = self.shard.of // common
            start = times * pow(len(self.line_ups) // common, -1, step) % step
        lowest = first // self.chunk_groups
        return range(lowest + (start - lowest) % step, -(-end // self.chunk_groups), step)

    def _groups_of(self, line_up: LineUp) -> int:
        cells = self._cells(line_up.number, 0, self.deals)
        beyond = -self.deals % self.chunk_groups  # what the last cell holds beyond the last deal
        return len(cells) * self.chunk_groups - beyond * (self.deals // self.chunk_groups in cells)

    def _nothing_played(self, _line_up: int, deals: int) -> Sequence[tuple[int, int]]:
        return [(0, deals)]

    def limits_of(self, line_up: LineUp) -> TableLimits:
        """The table a line-up plays at."""
        return self.structures[line_up.structure]

    def to_json(self) -> str:
        """Everything, strategies' texts included: what workers get and the result file keeps."""
        # With asdict, which copies all of it first, this took twice as long: 0.28 s for 19,900 line-ups.
        return json.dumps(_fields(self), sort_keys=True, default=_fields)

    @classmethod
    def from_json(cls, text: str) -> "Plan":
        """The plan of `to_json`."""
        told = {"record": {"level": "sums", "sample": 1.0}, **json.loads(text)}  # plans of schema version 1 have none
        told["entrants"] = tuple(
            PlannedEntrant(e["name"], Source(**e["source"]), e["params"], e["count"]) for e in told["entrants"]
        )
        told["line_ups"] = tuple(
            LineUp(**{**line_up, "entrants": tuple(line_up["entrants"])}) for line_up in told["line_ups"]
        )
        told["shard"] = Shard(**told["shard"]) if told.get("shard") else None  # nor of version 2
        return cls(**told)


def _fields(of: Any) -> dict[str, Any]:
    return {field.name: getattr(of, field.name) for field in fields(of)}


def default_batch_groups(seats: int, rotations: int, deals: int) -> int:
    """Groups of a batch: the power of two that fits the budget and leaves at least 64 batches, at least 1."""
    most = min(_BUDGET // (_DECISIONS[seats] * rotations), deals // _MIN_BATCHES)
    return 1 << max(0, most.bit_length() - 1)
