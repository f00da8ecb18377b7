"""The keys of an experiment: types, limits and defaults. A field's description is what an error says is allowed."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictFloat, StrictInt

from razzsim.plan.plan import MAX_DEALS

MAX_SEED = (1 << 63) - 1
MAX_CHIPS = 1 << 31
MAX_ENTRANTS = 1000

POWER_RULE = "a power of two, 1 to 2^24"
NAME_RULE = "1 to 40 of a-z, 0-9, _ and -"

Chips = Annotated[StrictInt, Field(ge=0, lt=MAX_CHIPS, description="a whole number of chips, 0 to 2,147,483,647")]
SomeChips = Annotated[StrictInt, Field(ge=1, lt=MAX_CHIPS, description="a whole number of chips, 1 to 2,147,483,647")]
Name = Annotated[str, Field(pattern=r"^[a-z0-9_-]{1,40}$")]
EntrantName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.+-]{1,40}$")]
Stack = Annotated[StrictInt, Field(ge=1, lt=MAX_CHIPS)]
Power = Annotated[StrictInt, Field(ge=1, le=1 << 24)]
ParamValue = StrictBool | StrictInt | StrictFloat


class _Keys(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Table(_Keys):
    """Seats and limits; all amounts in whole chips."""

    seats: StrictInt = Field(6, ge=2, le=8, description="2 to 8")
    ante: Chips
    bring_in: SomeChips
    small_bet: SomeChips
    big_bet: SomeChips | None = Field(None, description="a whole number of chips above small_bet (default: twice it)")
    stacks: Stack | list[Stack] | Literal["deep"] = Field(
        "deep",
        description="whole chips (1 or more) for all seats, a list of one a seat, or deep (covers every bet)",
        json_schema_extra={"item": "a whole number of chips, 1 to 2,147,483,647"},
    )


class Entrant(_Keys):
    """A strategy with parameters under a name."""

    name: EntrantName | None = Field(None, description="1 to 40 letters, digits and any of _ . + -")
    strategy: str = Field(description="a strategy file from this file's folder, path.py:function, or a shipped name")
    params: dict[str, ParamValue | list[ParamValue]] = Field(
        {},
        description="a mapping of the strategy's parameters to numbers, true, false, or lists of them (a sweep)",
        json_schema_extra={"item": "a number, true, false, or a list of them (a sweep)"},
    )
    count: StrictInt = Field(1, ge=1, le=8, description="1 to 8 copies in a table line-up")


class Limits(_Keys):
    """How long things may take, and how often a chunk is tried."""

    chunk_s: float = Field(300, gt=0, le=86400, description="seconds above 0, at most 86400")
    attempts: StrictInt = Field(3, ge=1, le=100, description="1 to 100")


Level = Literal["sums", "groups", "hands", "actions"]


class Record(_Keys):
    """Which rows are kept beside the sums, and of which share of the deals."""

    level: Level = Field(description="sums, groups, hands or actions")
    sample: float = Field(1, gt=0, le=1, description="a share of the deals, above 0, at most 1")


class Experiment(_Keys):
    """One YAML file."""

    name: Name | None = Field(None, description=NAME_RULE)
    seed: StrictInt = Field(ge=0, le=MAX_SEED, description="a whole number from 0 to 2^63-1")
    game: Literal["razz", "deuce_to_seven_razz"] = Field("razz", description="razz or deuce_to_seven_razz")
    rules: str | dict[str, Any] = Field(
        "pokerstars", description="a preset such as pokerstars, or a mapping of preset and parameters"
    )
    table: Table | None = Field(None, description="a mapping of seats, ante, bring_in, small_bet, big_bet, stacks")
    structures: dict[Name, Table] | None = Field(
        None,
        min_length=1,
        description="a mapping of names to tables, instead of table",
        json_schema_extra={"item": "a mapping of seats, ante, bring_in, small_bet, big_bet, stacks"},
    )
    entrants: list[Entrant] = Field(
        min_length=1,
        description="a list of entrants, each with strategy, and if wanted name, params, count",
        json_schema_extra={"item": "a mapping of strategy, and if wanted name, params, count"},
    )
    schedule: Literal["heads_up", "round_robin", "table"] = Field(description="heads_up, round_robin or table")
    deals: StrictInt = Field(ge=1, le=MAX_DEALS, description="a whole number from 1 to 2^48")
    session: StrictInt = Field(1, ge=1, le=1, description="1")
    stop: Literal["fixed"] = Field("fixed", description="fixed")
    control_variate: Literal[False] = Field(False, description="false")
    record: Level | Record = Field(
        "sums", description="sums, groups, hands or actions, or a mapping of level and sample"
    )
    on_error: Literal["stop_run", "stop_line_up", "fold"] = Field(
        "stop_run", description="stop_run, stop_line_up or fold"
    )
    limits: Limits = Field(default_factory=Limits, description="a mapping of chunk_s and attempts")
    snapshot_s: float = Field(5, ge=0.5, le=3600, description="seconds from 0.5 to 3600")
    batch_groups: Power | None = Field(None, description=POWER_RULE)
    chunk_groups: Power | None = Field(None, description=POWER_RULE)
