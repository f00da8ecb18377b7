"""A plan: everything that decides the numbers, resolved; its fingerprint; and its chunks as arithmetic."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from razzsim.engine import ENGINE_VERSION
from razzsim.strategy.source import Source

TableLimits = dict[str, Any]
"""seats, ante, bring_in, small_bet, big_bet (chips) and stacks (chips by seat)."""

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
    kind: str = "compiled"


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

    @property
    def n_chunks(self) -> int:
        """Number of chunks of all line-ups."""
        return self._chunks_a_line_up * len(self.line_ups)

    @cached_property
    def hands(self) -> int:
        """Number of hands of the whole plan."""
        return sum(self.deals * line_up.rotations for line_up in self.line_ups)

    @property
    def _chunks_a_line_up(self) -> int:
        return -(-self.deals // self.chunk_groups)

    def chunks(self) -> Iterator[Chunk]:
        """All chunks, the line-ups in turn, so that every line-up grows evenly."""
        for k in range(self._chunks_a_line_up):
            first = k * self.chunk_groups
            for line_up in self.line_ups:
                yield Chunk(line_up.number, first, min(self.chunk_groups, self.deals - first))

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
            PlannedEntrant(**{**entrant, "source": Source(**entrant["source"])}) for entrant in told["entrants"]
        )
        told["line_ups"] = tuple(
            LineUp(**{**line_up, "entrants": tuple(line_up["entrants"])}) for line_up in told["line_ups"]
        )
        return cls(**told)


def _fields(of: Any) -> dict[str, Any]:
    return {field.name: getattr(of, field.name) for field in fields(of)}


def default_batch_groups(seats: int, rotations: int, deals: int) -> int:
    """Groups of a batch: the power of two that fits the budget and leaves at least 64 batches, at least 1."""
    most = min(_BUDGET // (_DECISIONS[seats] * rotations), deals // _MIN_BATCHES)
    return 1 << max(0, most.bit_length() - 1)
